//! The program's side.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tool_frame::{self, Kind};
use crate::tool_environment::SOCKET;

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
    match run(&name, &arguments) {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 141,
        Err(error) => {
            // Without standard error there is nobody to tell.
            let _ = writeln!(io::stderr(), "{name}: {error}");
            NOT_RUN
        }
    }
}

fn run(name: &str, arguments: &[String]) -> io::Result<u8> {
    let plan = || Path::new(arguments.first().map_or("", String::as_str));
    match name {
        crate::sandbox::KEEPER => crate::sandbox::keep(plan()),
        crate::sandbox::INIT => crate::sandbox::begin(plan()),
        "sh" => shell(arguments),
        "cat" => concatenate(arguments),
        "toybox" => match arguments.split_first() {
            Some((name, rest)) => Err(execute(name, rest)),
            None => call("toybox", &[]),
        },
        "run-as" | "su" => {
            // The phone says whether it may be, and how many of the words are its own.
            let status = call(name, arguments)?;
            if status != 0 {
                return Ok(status);
            }
            become_another(name, arguments)
        }
        _ => call(name, arguments),
    }
}

/// The folder of the programs.
const PROGRAMS: &str = "/system/bin";

/// The program of this machine that stands in the sandbox under a hidden name; outside, where it usually is.
fn own(hidden: &str, usual: &'static str) -> PathBuf {
    let hidden = Path::new(PROGRAMS).join(hidden);
    if hidden.exists() { hidden } else { usual.into() }
}

/// Runs something else in this process.
fn execute(name: &str, arguments: &[String]) -> io::Error {
    let tool = if name.contains('/') {
        Path::new(name).to_owned()
    } else {
        Path::new(PROGRAMS).join(name)
    };
    Command::new(tool).args(arguments).exec()
}

fn become_another(name: &str, arguments: &[String]) -> io::Result<u8> {
    let mut words = arguments;
    if name == "run-as" {
        let (package, mut rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        if let [flag, _, more @ ..] = rest
            && flag == "--user"
        {
            rest = more;
        }
        std::env::set_current_dir(Path::new("/data/data").join(package))?;
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
            return shell(&["-c".to_owned(), text.clone()]);
        }
    }
    match words.split_first() {
        Some((program, rest)) => Err(execute(program, rest)),
        None => shell(&[]),
    }
}

/// A shell, which the phone has to know of.
fn shell(arguments: &[String]) -> io::Result<u8> {
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
            std::fs::File::open(file)?.take(MOST_SCRIPT).read_to_string(&mut text)?;
            (text, words.to_vec())
        }
        [] => {
            let mut text = String::new();
            io::stdin().take(MOST_SCRIPT).read_to_string(&mut text)?;
            (text, Vec::new())
        }
    };
    // The phone has to know of the process: it becomes a shell.
    call("@sh", &[])?;
    let text = crate::shell::prepare(&text, false);
    let names = if names.is_empty() { vec!["sh".to_owned()] } else { names };
    Err(Command::new(own(".sh", "/bin/sh"))
        .arg0("sh")
        .args(flags)
        .arg("-c")
        .arg(text)
        .args(names)
        .exec())
}

/// `cat`: what the kernel would make up is made up when it is read; the rest is the host's.
fn concatenate(arguments: &[String]) -> io::Result<u8> {
    let made_up = |file: &String| file.starts_with("/proc/") || file.starts_with("/sys/");
    let mut real = Command::new(own(".cat", "/bin/cat"));
    real.arg0("cat");
    if !arguments.iter().any(made_up) {
        return Err(real.args(arguments).exec());
    }
    let mut status = 0;
    for files in arguments.chunk_by(|a, b| made_up(a) == made_up(b)) {
        if files.first().is_some_and(made_up) {
            status = status.max(call("cat", files)?);
        } else if !Command::new(real.get_program()).arg0("cat").args(files).status()?.success() {
            status = 1;
        }
    }
    Ok(status)
}

/// Has the phone do it.
fn call(name: &str, arguments: &[String]) -> io::Result<u8> {
    let socket = std::env::var_os(SOCKET).ok_or_else(|| {
        io::Error::other("this is a program of a simulated phone's shell; there is none here")
    })?;
    let mut phone = UnixStream::connect(socket)?;
    let own = std::process::id().to_string();
    let parent = std::os::unix::process::parent_id().to_string();
    let mut hello = vec![own, parent, name.to_owned()];
    hello.extend_from_slice(arguments);
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
