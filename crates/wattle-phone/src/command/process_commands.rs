//! Programs about processes and the kernel.

use std::io;
use std::sync::Arc;

use rustix::process::Signal;

use crate::system;
use crate::tool::Call;

/// `cat` of what the kernel makes up; the program reads everything else itself.
pub(super) fn cat(call: &mut Call) -> io::Result<u8> {
    let mut status = 0;
    for path in call.arguments.clone() {
        let content = system::content(&call.core, &path)
            .or_else(|| call.core.files.rooted().read(&path).ok());
        match content {
            Some(content) => call.out(content)?,
            None => status = call.fail(format!("cat: {path}: No such file or directory"))?,
        }
    }
    Ok(status)
}

/// `kill`: the phone's own processes are asked, the shell's get the signal.
pub(super) fn kill(call: &mut Call) -> io::Result<u8> {
    let mut signal = "TERM".to_owned();
    let mut pids = Vec::new();
    let mut words = call.arguments.clone().into_iter();
    while let Some(word) = words.next() {
        if word == "-s" {
            signal = words.next().unwrap_or_default();
        } else if word == "-l" {
            return call.out("HUP INT QUIT KILL TERM\n").map(|()| 0);
        } else if let Some(name) = word.strip_prefix('-').filter(|_| pids.is_empty()) {
            if name != "-" {
                name.clone_into(&mut signal);
            }
        } else {
            pids.push(word);
        }
    }
    let signal = signal.trim_start_matches("SIG").to_owned();
    let mut status = 0;
    for text in pids {
        let Ok(pid) = text.parse::<u32>() else {
            status = call.fail(format!("kill: bad pid '{text}'"))?;
            continue;
        };
        if let Err(reason) = kill_one(call, pid, &signal) {
            status = call.fail(format!("kill: {pid}: {reason}"))?;
        }
    }
    Ok(status)
}

fn kill_one(call: &Call, pid: u32, signal: &str) -> Result<(), &'static str> {
    const NONE: &str = "No such process";
    let is_recording = {
        let mut state = call.core.state();
        match state.sessions.recordings.get_mut(&pid) {
            None => false,
            Some(recording) => {
                match signal {
                    "0" => {}
                    "9" | "KILL" | "1" | "HUP" => recording.killed = true,
                    _ => recording.asked_to_stop = true,
                }
                true
            }
        }
    };
    if is_recording {
        return Ok(());
    }
    if let Some(sandbox) = call.core.sandbox().ok().filter(|sandbox| sandbox.holds(pid)) {
        let signal = match signal {
            "0" => return Ok(()),
            "1" | "HUP" => Signal::HUP,
            "2" | "INT" => Signal::INT,
            "9" | "KILL" => Signal::KILL,
            "19" | "STOP" => Signal::STOP,
            "18" | "CONT" => Signal::CONT,
            "10" | "USR1" => Signal::USR1,
            "12" | "USR2" => Signal::USR2,
            _ => Signal::TERM,
        };
        sandbox.signal(pid, signal);
        return Ok(());
    }
    let alive = call.core.journal.running().into_iter().any(|process| process.pid == pid);
    if !alive {
        return Err(NONE);
    }
    // An app's process is not the shell's to end, unless it is root.
    if call.core.options.rooted && signal != "0" {
        call.core.journal.end(call.core.clock.boot(), pid);
        return Ok(());
    }
    Err("Operation not permitted")
}

pub(super) fn ps(call: &mut Call) -> io::Result<u8> {
    let words = call.words();
    let all = words.iter().any(|word| ["-A", "-e", "-ef", "-AT"].contains(word));
    let columns: Vec<String> = words
        .iter()
        .skip_while(|word| **word != "-o")
        .nth(1)
        .map(|list| list.split(',').map(str::to_uppercase).collect())
        .unwrap_or_default();
    let mut text = if columns.is_empty() {
        "USER           PID  PPID        VSZ    RSS WCHAN            ADDR S NAME\n".to_owned()
    } else {
        let names: Vec<&str> = columns.iter().map(|name| heading(name)).collect();
        names.join(" ") + "\n"
    };
    for process in call.core.journal.running() {
        // Without -A only what belongs to the shell's user and terminal.
        if !all && process.uid != 2000 {
            continue;
        }
        let user = system::user_name(process.uid);
        if columns.is_empty() {
            text += &format!(
                "{user:<12} {:>5} {:>5} {:>10} {:>6} {:<16} {:>4} S {}\n",
                process.pid, process.parent, 15_203_460, 182_344, 0, 0, process.name
            );
            continue;
        }
        let fields: Vec<String> = columns
            .iter()
            .map(|column| match column.as_str() {
                "PID" => process.pid.to_string(),
                "PPID" => process.parent.to_string(),
                "UID" => process.uid.to_string(),
                "USER" => user.clone(),
                _ => process.name.clone(),
            })
            .collect();
        text += &(fields.join(" ") + "\n");
    }
    call.out(text).map(|()| 0)
}

fn heading(column: &str) -> &str {
    match column {
        "ARGS" | "CMD" | "CMDLINE" => "CMD",
        other => other,
    }
}

pub(super) fn pidof(call: &mut Call) -> io::Result<u8> {
    let names = call.arguments.clone();
    let pids: Vec<String> = call
        .core
        .journal
        .running()
        .iter()
        .filter(|process| {
            let short = process.name.rsplit('/').next().unwrap_or_default();
            names.iter().any(|name| *name == process.name || name == short)
        })
        .map(|process| process.pid.to_string())
        .collect();
    if pids.is_empty() {
        return Ok(1);
    }
    call.out(pids.join(" ") + "\n").map(|()| 0)
}

pub(super) fn id(call: &mut Call) -> io::Result<u8> {
    let text = match (call.name.as_str(), call.words().as_slice()) {
        ("whoami", _) | (_, ["-un"]) => "shell\n",
        (_, ["-u" | "-g"]) => "2000\n",
        _ => {
            "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw) \
              context=u:r:shell:s0\n"
        }
    };
    call.out(text).map(|()| 0)
}

pub(super) fn uname(call: &mut Call) -> io::Result<u8> {
    let flags: String = call.arguments.iter().map(|word| word.trim_start_matches('-')).collect();
    let release = call.core.options.hardware.device.kernel.clone();
    let all = flags.contains('a');
    let fields = [
        ('s', "Linux"),
        ('n', "localhost"),
        ('r', release.as_str()),
        ('v', "#1 SMP PREEMPT Sat Nov 22 00:00:00 UTC 2025"),
        ('m', "aarch64"),
    ];
    let flags = if flags.is_empty() { "s".to_owned() } else { flags };
    let words: Vec<&str> = fields
        .iter()
        .filter(|(letter, _)| all || flags.contains(*letter))
        .map(|(_, word)| *word)
        .collect();
    call.out(words.join(" ") + "\n").map(|()| 0)
}

pub(super) fn nproc(call: &mut Call) -> io::Result<u8> {
    let text = format!("{}\n", call.core.options.hardware.cpus());
    call.out(text).map(|()| 0)
}

/// `df`: one storage, in blocks of 1 KiB.
pub(super) fn df(call: &mut Call) -> io::Result<u8> {
    let human = call.words().contains(&"-h");
    let (total, free) = (call.core.files.capacity() >> 10, call.core.files.free() >> 10);
    let used = total.saturating_sub(free);
    let percent = (used * 100).checked_div(total.max(1)).unwrap_or_default();
    let size = |kilobytes: u64| {
        if human {
            format!("{:.1}G", kilobytes as f64 / f64::from(1 << 20))
        } else {
            kilobytes.to_string()
        }
    };
    let head = if human { "Size" } else { "1K-blocks" };
    let text = format!(
        "Filesystem     {head:>9} {:>9} {:>9} Use% Mounted on\n/dev/block/dm-44 {:>9} {:>9} {:>9} {percent:>3}% /data\n",
        "Used",
        if human { "Avail" } else { "Available" },
        size(total),
        size(used),
        size(free)
    );
    call.out(text).map(|()| 0)
}

pub(super) fn reboot(call: &Call) -> u8 {
    let core = Arc::clone(&call.core);
    core.reboot();
    0
}
