//! The program's side.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tool_frame::{self, Kind};
use crate::path_map;
use crate::tool_environment::{ROOT, SOCKET};

/// Status of a shell when a program cannot be run.
const NOT_RUN: u8 = 126;
/// Largest script that is read.
const MOST_SCRIPT: u64 = 4 << 20;

/// Runs a program of the simulated phone's shell: its name, then its arguments. Gives its exit status.
///
/// It works only when the phone's shell has started it; otherwise it says so on standard error.
pub fn tool_main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut words = arguments.into_iter().map(|word| word.to_string_lossy().into_owned());
    let name = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    let root = std::env::var(ROOT).unwrap_or_default();
    match run(&name, &arguments, &root) {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 141,
        Err(error) => {
            // Without standard error there is nobody to tell.
            let _ = writeln!(io::stderr(), "{name}: {error}");
            NOT_RUN
        }
    }
}

fn run(name: &str, arguments: &[String], root: &str) -> io::Result<u8> {
    match name {
        "sh" => shell(arguments, root),
        "cat" => concatenate(arguments, root),
        "toybox" => match arguments.split_first() {
            Some((name, rest)) => Err(execute(root, name, rest)),
            None => call("toybox", &[], root),
        },
        "run-as" | "su" => {
            // The phone says whether it may be, and how many of the words are its own.
            let status = call(name, arguments, root)?;
            if status != 0 {
                return Ok(status);
            }
            become_another(name, arguments, root)
        }
        _ => call(name, arguments, root),
    }
}

/// The location of the programs. Without a root the phone's paths are the machine's.
fn programs(root: &str) -> PathBuf {
    Path::new(if root.is_empty() { "/" } else { root }).join("system/bin")
}

/// Runs something else in this process.
fn execute(root: &str, name: &str, arguments: &[String]) -> io::Error {
    let tool =
        if name.contains('/') { Path::new(name).to_owned() } else { programs(root).join(name) };
    Command::new(tool).args(arguments).exec()
}

fn become_another(name: &str, arguments: &[String], root: &str) -> io::Result<u8> {
    let mut words = arguments;
    if name == "run-as" {
        let (package, mut rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        if let [flag, _, more @ ..] = rest
            && flag == "--user"
        {
            rest = more;
        }
        let root = if root.is_empty() { "/" } else { root };
        std::env::set_current_dir(Path::new(root).join("data/data").join(package))?;
        words = rest;
    } else {
        while let [first, rest @ ..] = words
            && (first == "0" || first == "root" || first == "-")
        {
            words = rest;
        }
        if let [flag, text, ..] = words
            && flag == "-c"
        {
            return shell(&["-c".to_owned(), text.clone()], root);
        }
    }
    match words.split_first() {
        Some((program, rest)) => Err(execute(root, program, rest)),
        None => shell(&[], root),
    }
}

/// A shell: what it is given to run is mapped first.
fn shell(arguments: &[String], root: &str) -> io::Result<u8> {
    let mut flags = Vec::new();
    let mut words = arguments;
    while let [flag, rest @ ..] = words
        && flag.len() > 1
        && (flag.starts_with('-') || flag.starts_with('+'))
        && !flag.ends_with('c')
    {
        flags.push(flag.clone());
        words = rest;
    }
    let (text, names) = match words {
        [flag, text, names @ ..] if flag.ends_with('c') && flag.starts_with('-') => {
            (text.clone(), names.to_vec())
        }
        [file, ..] => {
            let mut text = String::new();
            let host = within(root, file);
            std::fs::File::open(host)?.take(MOST_SCRIPT).read_to_string(&mut text)?;
            (text, words.to_vec())
        }
        [] => {
            let mut text = String::new();
            io::stdin().take(MOST_SCRIPT).read_to_string(&mut text)?;
            (text, Vec::new())
        }
    };
    // The phone has to know of the process: it becomes a shell.
    call("@sh", &[], root)?;
    let text = crate::shell::prepare(&text, root, false);
    let names = if names.is_empty() { vec!["sh".to_owned()] } else { names };
    Err(Command::new("/bin/sh").args(flags).arg("-c").arg(text).args(names).exec())
}

fn within(root: &str, file: &str) -> PathBuf {
    if file.starts_with('/') && !root.is_empty() && !file.starts_with(root) {
        Path::new(root).join(file.trim_start_matches('/'))
    } else {
        Path::new(file).to_owned()
    }
}

/// `cat`: what the kernel would make up is made up when it is read; the rest is the host's.
fn concatenate(arguments: &[String], root: &str) -> io::Result<u8> {
    let made_up = |file: &String| {
        let path = file.strip_prefix(root).unwrap_or(file);
        path.starts_with("/proc/") || path.starts_with("/sys/")
    };
    if !arguments.iter().any(made_up) {
        return Err(Command::new("/bin/cat").arg0("cat").args(arguments).exec());
    }
    let mut status = 0;
    for files in arguments.chunk_by(|a, b| made_up(a) == made_up(b)) {
        if files.first().is_some_and(made_up) {
            status = status.max(call("cat", files, root)?);
        } else if !Command::new("/bin/cat").arg0("cat").args(files).status()?.success() {
            status = 1;
        }
    }
    Ok(status)
}

/// Has the phone do it.
fn call(name: &str, arguments: &[String], root: &str) -> io::Result<u8> {
    let socket = std::env::var_os(SOCKET).ok_or_else(|| {
        io::Error::other("this is a program of a simulated phone's shell; there is none here")
    })?;
    let mut phone = UnixStream::connect(socket)?;
    let own = std::process::id().to_string();
    let parent = std::os::unix::process::parent_id().to_string();
    let unmapped = |word: &str| if root.is_empty() { word.to_owned() } else { without(word, root) };
    let mut hello = vec![own, parent, name.to_owned()];
    hello.extend(arguments.iter().map(|word| unmapped(word)));
    tool_frame::send(&mut phone, Kind::Hello, hello.join("\0").as_bytes())?;
    let mut stdout = io::stdout();
    loop {
        let Ok((kind, bytes)) = tool_frame::receive(&mut phone) else {
            // The phone is gone, and with it everything that ran on it.
            return Ok(255);
        };
        match kind {
            Kind::Output => {
                stdout.write_all(&bytes)?;
                stdout.flush()?;
            }
            Kind::Error => io::stderr().write_all(&bytes)?,
            Kind::WantInput => {
                let writer = phone.try_clone()?;
                std::thread::spawn(move || forward_input(writer));
            }
            Kind::Exit => return Ok(bytes.first().copied().unwrap_or_default()),
            Kind::Hello | Kind::Input => {}
        }
    }
}

/// A word as the phone knows it.
fn without(word: &str, root: &str) -> String {
    let mut unmapper = path_map::Unmapper::new(root);
    let mut bytes = unmapper.push(word.as_bytes());
    bytes.extend(unmapper.finish());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn forward_input(mut phone: UnixStream) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = io::stdin().read(&mut buffer).unwrap_or(0);
        let bytes = buffer.get(..count).unwrap_or_default();
        if tool_frame::send(&mut phone, Kind::Input, bytes).is_err() || count == 0 {
            return;
        }
    }
}
