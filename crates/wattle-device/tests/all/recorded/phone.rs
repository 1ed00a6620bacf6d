//! The scripted device: enough of a phone for a session, with its state to be looked at.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wattle_device::{
    Cancel, Device, DeviceError, FileFacts, InstallOptions, ShellEvent, ShellOutput, ShellStream,
};

use super::TWO_TESTS;
use super::fault::{Faulty, Strike};
use super::stream::{Log, Printed};

/// A phone, as seen by one who may be told to stop.
#[derive(Clone, Debug)]
pub struct Phone {
    pub inner: Arc<Inner>,
    cancel: Cancel,
}

#[derive(Debug)]
pub struct Inner {
    pub faults: Faulty,
    state: Mutex<State>,
}

/// State of the phone.
#[derive(Debug)]
pub struct State {
    pub files: BTreeMap<String, Vec<u8>>,
    pub processes: BTreeMap<u32, String>,
    next_pid: u32,
    pub log: Vec<u8>,
    pub properties: BTreeMap<String, String>,
    /// Whether the plug state is faked.
    pub unplugged: bool,
    pub installed: Vec<String>,
    /// All commands, in order.
    pub commands: Vec<String>,
    pub instrument_output: String,
    pub boots: u32,
    /// Number of other programs' processes that have a number that was ours before a reboot.
    pub strangers: usize,
    pub has_perfetto: bool,
    /// The configuration that the last trace was begun with.
    pub config: Vec<u8>,
    /// Whether traces have what the scheduler did.
    pub has_scheduler: bool,
    /// Whether activities that are started go on.
    pub launches: bool,
    /// Whether somebody has uninstalled the app.
    pub uninstalled: bool,
    /// Whether the app can be looked into with `run-as`.
    pub debuggable: bool,
    /// Files that the probes of the app's process write when its tests run.
    pub probes_write: Vec<(String, Vec<u8>)>,
}

impl Inner {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Phone {
    /// One that is well, and asks this whether to stop.
    pub fn new(cancel: &Cancel) -> Self {
        let state = State {
            files: BTreeMap::new(),
            processes: BTreeMap::new(),
            next_pid: 5000,
            log: b"11-22 05:00:00.000  1000  1 1 I boot: up\n".to_vec(),
            properties: BTreeMap::new(),
            unplugged: false,
            installed: Vec::new(),
            commands: Vec::new(),
            instrument_output: TWO_TESTS.to_owned(),
            boots: 1,
            strangers: 0,
            has_perfetto: true,
            config: Vec::new(),
            has_scheduler: true,
            launches: true,
            uninstalled: false,
            debuggable: true,
            probes_write: Vec::new(),
        };
        let inner = Inner { faults: Faulty::default(), state: Mutex::new(state) };
        Self { inner: Arc::new(inner), cancel: cancel.clone() }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }

    /// Returns the traces of a session that are still on the phone: none, if it was restored.
    pub fn left_over(&self) -> Vec<String> {
        let state = self.state();
        let mut left = Vec::new();
        // The app's own are its own.
        let ours = |file: &&String| !file.starts_with("/data/user/") || file.ends_with(".probes");
        left.extend(state.files.keys().filter(ours).map(|file| format!("file {file}")));
        let strangers = state.processes.values().filter(|what| *what == "somebody else").count();
        if strangers != state.strangers {
            left.push(format!("{strangers} of {} strangers", state.strangers));
        }
        let others = ["com.foo", "somebody else"];
        let ours = state.processes.iter().filter(|(_, what)| !others.contains(&what.as_str()));
        left.extend(ours.map(|(pid, what)| format!("process {pid} {what}")));
        left.extend(state.unplugged.then(|| "battery unplugged".to_owned()));
        let traced = state.properties.get("persist.traced.enable");
        left.extend(traced.filter(|value| *value == "1").map(|_| "traced turned on".to_owned()));
        left
    }

    fn ask(&self, what: &str) -> Result<bool, DeviceError> {
        self.cancel.check()?;
        if !self.inner.faults.is_away() && self.inner.faults.take_reboot() {
            let mut state = self.state();
            state.boots += 1;
            // The kernel gives the numbers away again.
            for what in state.processes.values_mut() {
                "somebody else".clone_into(what);
            }
            state.strangers = state.processes.len();
            // Settings of the battery service do not outlive a reboot.
            state.unplugged = false;
        }
        let strike = self.inner.faults.strike(what);
        self.state().commands.push(what.to_owned());
        self.cancel.check()?;
        match strike {
            Strike::None => Ok(true),
            Strike::Refuse => Ok(false),
            Strike::Error(error) => Err(error),
        }
    }
}

/// A trace with a packet of scheduling events in front, or without.
fn trace(has_scheduler: bool) -> Vec<u8> {
    let mut out = wattle_wire::Writer::new();
    out.message(1, |packet| packet.varint(8, 14_291_000_000_000));
    if has_scheduler {
        out.message(1, |packet| {
            packet.message(1, |bundle| bundle.message(4, |compact| compact.varint(1, 5)));
        });
    }
    out.message(1, |packet| packet.string(900, "a packet of some length behind it"));
    out.into_bytes()
}

fn said(text: &str) -> ShellOutput {
    ShellOutput { stdout: text.as_bytes().to_vec(), stderr: Vec::new(), status: Some(0) }
}

fn no(text: &str) -> ShellOutput {
    ShellOutput { stdout: Vec::new(), stderr: text.as_bytes().to_vec(), status: Some(1) }
}

impl State {
    fn spawn(&mut self, what: &str) -> u32 {
        self.next_pid += 1;
        self.processes.insert(self.next_pid, what.to_owned());
        self.next_pid
    }

    fn answer(&mut self, command: &str) -> ShellOutput {
        if command.contains("{ run-as com.foo sh -c 'echo reached'; }") {
            return said(&self.ways(command));
        }
        if let Some(script) = command.strip_prefix("run-as com.foo sh -c ") {
            return self.as_app(script);
        }
        if command.starts_with("read before rest") {
            return said("14291.35 14291.36 1795323600\n");
        }
        if command.starts_with("echo '@@wattle running'") {
            return said(&self.app_state());
        }
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["echo", "wattle"] => said("wattle\n"),
            ["cat", "/proc/sys/kernel/random/boot_id"] => said(&format!("boot-{}\n", self.boots)),
            ["cat", "/proc/uptime"] => said("14291.35 100.00\n"),
            ["command", "-v", "perfetto"] if self.has_perfetto => said("/system/bin/perfetto\n"),
            ["command", "-v", "simpleperf"] => said("/system/bin/simpleperf\n"),
            ["command", "-v", _] => no(""),
            ["getprop", name] => {
                said(&format!("{}\n", self.properties.get(*name).cloned().unwrap_or_default()))
            }
            ["setprop", name, value] => {
                let value = if *value == "''" { "" } else { value };
                self.properties.insert((*name).to_owned(), value.to_owned());
                said("")
            }
            ["rm", "-rf", folder, rest @ ..] => {
                let folder = folder.trim_end_matches(';');
                assert!(rest.is_empty() || rest.first() == Some(&"mkdir"), "{command}");
                self.files.retain(|file, _| !file.starts_with(folder));
                said("")
            }
            ["rm", "-f", files @ ..] => {
                for file in files {
                    self.files.remove(*file);
                    if file.ends_with("counters.go") {
                        self.processes.retain(|_, what| what != "counters");
                    }
                }
                said("")
            }
            ["echo", "go", ">", file, "echo", "rm", "-f", _, ">", end] => {
                let file = file.trim_end_matches(';');
                self.files.insert(file.to_owned(), b"go\n".to_vec());
                self.files.insert((*end).to_owned(), b"rm\n".to_vec());
                said("")
            }
            ["echo", "am", "profile", "stop", _, end] => {
                self.files.insert(end.trim_start_matches('>').to_owned(), b"am\n".to_vec());
                said("")
            }
            ["sh", script, "/proc", "/sys", out, ..] if script.ends_with("counters.sh") => {
                assert!(self.files.contains_key(*script), "{script} was not pushed");
                let text = b"wattle-counters 1\n# pid 1\n? /proc/diskstats cannot be read\n";
                self.files.insert((*out).to_owned(), text.to_vec());
                let pid = self.spawn("counters");
                said(&format!("{pid}\n"))
            }
            ["pidof", "com.foo"] => {
                let pids = self.processes.iter().filter(|(_, what)| *what == "com.foo");
                let pids: Vec<String> = pids.map(|(pid, _)| pid.to_string()).collect();
                said(&pids.join(" "))
            }
            ["echo", "-n", ">", file, "chmod", "666", _] => {
                self.files.insert(file.trim_end_matches(';').to_owned(), Vec::new());
                said("")
            }
            ["am", "profile", "start", .., file] => {
                self.properties.insert("profiled".to_owned(), (*file).to_owned());
                said("")
            }
            ["am", "profile", "stop", _] => {
                if let Some(file) = self.properties.remove("profiled") {
                    self.files.insert(file, b"SLOW a trace".to_vec());
                }
                said("")
            }
            ["simpleperf", "record", "--app", "com.foo", ..] => {
                let out = words.iter().skip_while(|word| **word != "-o").nth(1).expect("a file");
                self.files.insert((*out).to_owned(), b"PERFILE2".to_vec());
                for file in words.iter().filter_map(|word| word.strip_prefix(">/")) {
                    let file = format!("/{}", file.trim_end_matches(';'));
                    self.files.insert(file, Vec::new());
                }
                let pid = self.spawn("simpleperf");
                said(&format!("{pid}\n"))
            }
            ["kill", "-0", pid, other_ways @ ..] => {
                let pid = pid.parse().expect("a pid");
                match self.processes.get(&pid) {
                    None => no("No such process"),
                    // As on every user build: only its folder in /proc shows that it lives.
                    Some(what) if what == "perfetto" && !other_ways.contains(&"-d") => {
                        no("Permission denied")
                    }
                    Some(_) => said(""),
                }
            }
            ["kill", rest @ ..] => {
                let pid = rest.last().and_then(|pid| pid.parse::<u32>().ok()).expect("a pid");
                let gone = self.processes.remove(&pid);
                if gone.is_some() { said("") } else { no("No such process") }
            }
            ["logcat", .., "-t", "1"] => said("a line\n"),
            ["log", "-t", tag, text] => {
                self.log.extend_from_slice(format!("I {tag}: {text}\n").as_bytes());
                said("")
            }
            ["dumpsys", "-l"] => said("Currently running services:\n  battery\n  batterystats\n"),
            ["dumpsys", "battery", "unplug"] => {
                self.unplugged = true;
                said("")
            }
            ["dumpsys", "battery", "reset"] => {
                self.unplugged = false;
                said("")
            }
            ["am", "force-stop", package] => {
                self.processes.retain(|_, what| what != package);
                said("")
            }
            ["am", "start", ..] => {
                if self.launches {
                    self.spawn("com.foo");
                }
                said("Status: ok\n")
            }
            _ => no(&format!("{command}: not scripted")),
        }
    }

    /// Whether the app runs and is installed.
    fn app_state(&self) -> String {
        let runs = self.processes.values().any(|what| what == "com.foo");
        let (running, status) = if runs { ("5007", 0) } else { ("", 1) };
        let installed = if self.uninstalled { "" } else { "package:/data/app/com.foo/base.apk" };
        format!(
            "@@wattle running\n{running}\n\n@@wattle end {status}\n@@wattle installed\n{installed}\n\n@@wattle end {}\n\
             @@wattle service\npackage:android\n\n@@wattle end 0\n",
            u8::from(self.uninstalled)
        )
    }

    /// Questions in one script, each between marks: what `run-as` says, and that there is no other way.
    fn ways(&self, script: &str) -> String {
        let mut text = String::new();
        for line in script.lines().filter(|line| line.contains("; { ")) {
            let mark = line.split('\'').nth(1).expect("a mark");
            let word = mark.split_whitespace().next().expect("a word");
            let (said, status) = match (mark.ends_with("run-as"), self.debuggable) {
                (true, true) => ("reached", "0"),
                (true, false) => ("run-as: package not debuggable: com.foo", "1"),
                _ => ("no", "1"),
            };
            text += &[mark, "\n", said, "\n\n", word, " end ", status, "\n"].concat();
        }
        text
    }

    /// A script in the app's folder.
    fn as_app(&mut self, script: &str) -> ShellOutput {
        const HOME: &str = "/data/user/0/com.foo/";
        let probes = |file: &str| file.strip_suffix(".probes").is_some();
        if script.contains("rm -f ") {
            self.files.retain(|file, _| !(file.starts_with(HOME) && probes(file)));
            return said("");
        }
        assert!(script.contains("wc -c"), "{script}");
        let mut text = String::new();
        for (file, bytes) in self.files.iter().filter(|(file, _)| probes(file)) {
            let below = file.strip_prefix(HOME).expect("a file of the app");
            text += &[&bytes.len().to_string(), " ", below, "\n"].concat();
        }
        said(&text)
    }

    fn printed(&mut self, command: &str) -> VecDeque<ShellEvent> {
        let mut output = Vec::new();
        let mut status = 0;
        if command.starts_with("am instrument") {
            output = self.instrument_output.clone().into_bytes();
            self.spawn("com.foo");
            self.files.extend(std::mem::take(&mut self.probes_write));
            if command.contains("'-e log true'") || command.contains("-e log true") {
                output = TWO_TESTS.as_bytes().to_vec();
            }
        } else if command.starts_with("dumpsys batterystats") {
            output = format!("statistics of {command}").into_bytes();
        } else if let Some(file) = command.rsplit_once("cat ").map(|(_, file)| file) {
            // As the app, paths begin at its folder.
            let home = if command.starts_with("run-as") { "/data/user/0/com.foo/" } else { "" };
            match self.files.get(&format!("{home}{}", file.trim_matches('\''))) {
                Some(bytes) => output.clone_from(bytes),
                None => status = 1,
            }
        } else if command.starts_with("sh ") {
            output = b"script\n".to_vec();
        } else {
            status = 127;
        }
        let pieces = output.chunks(200).map(|piece| ShellEvent::Stdout(piece.to_vec()));
        pieces.chain([ShellEvent::Exit(Some(status))]).collect()
    }
}

impl Device for Phone {
    fn serial(&self) -> &'static str {
        "X1"
    }

    fn with_cancel(&self, cancel: Cancel) -> Box<dyn Device> {
        Box::new(Self { inner: Arc::clone(&self.inner), cancel })
    }

    fn shell(&self, command: &str, _: Duration) -> Result<ShellOutput, DeviceError> {
        if !self.ask(command)? {
            return Ok(no("no"));
        }
        Ok(self.state().answer(command))
    }

    fn stream(&self, command: &str) -> Result<Box<dyn ShellStream>, DeviceError> {
        let runs = self.ask(command)?;
        let (inner, cancel) = (Arc::clone(&self.inner), self.cancel.clone());
        if command.starts_with("logcat") && runs {
            return Ok(Box::new(Log { inner, cancel, read: 0 }));
        }
        let refused = VecDeque::from([ShellEvent::Exit(Some(1))]);
        let events = if runs { self.state().printed(command) } else { refused };
        Ok(Box::new(Printed { inner, cancel, what: command.to_owned(), events }))
    }

    fn shell_with_input(
        &self,
        command: &str,
        input: &mut dyn Read,
        _: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        if !self.ask(command)? {
            return Ok(no("no"));
        }
        let mut config = Vec::new();
        input.read_to_end(&mut config).expect("bytes");
        assert!(command.contains("$(perfetto --background"), "{command}");
        let (_, file) = command.split_once(" -o ").expect("a file");
        let (file, rest) = file.split_once(')').expect("an end");
        let (_, end) = rest.split_once(" >").expect("an end file");
        let (end, _) = end.split_once(';').expect("an end");
        let mut state = self.state();
        state.config = config;
        let trace = trace(state.has_scheduler);
        state.files.insert(file.to_owned(), trace);
        state.files.insert(end.to_owned(), b"kill\n".to_vec());
        let pid = state.spawn("perfetto");
        Ok(said(&format!("WARNING: linker: unused\n{pid}\n")))
    }

    fn push(&self, from: &mut dyn Read, to: &str, _: u32) -> Result<u64, DeviceError> {
        if !self.ask(&format!("push {to}"))? {
            return Err(DeviceError::Refused { what: to.into(), said: "no".into() });
        }
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("bytes");
        let count = bytes.len() as u64;
        self.state().files.insert(to.to_owned(), bytes);
        Ok(count)
    }

    fn pull(&self, from: &str, into: &mut dyn Write) -> Result<u64, DeviceError> {
        let bytes = self.state().files.get(from).cloned();
        let end = self.ask(&format!("pull {from}"));
        let Some(bytes) = bytes else {
            return Err(DeviceError::Refused { what: from.into(), said: "no such file".into() });
        };
        match end {
            Ok(true) => {
                into.write_all(&bytes).expect("written");
                Ok(bytes.len() as u64)
            }
            Ok(false) => Err(DeviceError::Refused { what: from.into(), said: "no".into() }),
            Err(error) => {
                // It broke off in the middle.
                into.write_all(&bytes[..bytes.len() / 2]).expect("written");
                Err(error)
            }
        }
    }

    fn stat(&self, path: &str) -> Result<Option<FileFacts>, DeviceError> {
        self.ask(&format!("stat {path}"))?;
        let state = self.state();
        Ok(state.files.get(path).map(|bytes| FileFacts {
            name: path.to_owned(),
            mode: 0o100_644,
            bytes: bytes.len() as u64,
            modified: 0,
        }))
    }

    fn list(&self, _: &str) -> Result<Vec<FileFacts>, DeviceError> {
        Ok(Vec::new())
    }

    fn install(&self, packages: &[PathBuf], _: &InstallOptions) -> Result<(), DeviceError> {
        self.ask("install")?;
        let names = packages.iter().map(|path| path.display().to_string());
        self.state().installed.extend(names);
        Ok(())
    }
}
