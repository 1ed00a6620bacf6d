//! Ending a command together with everything that it has started.

use crate::quote;

/// A script that runs the command and, when it is hung up on, ends it with all its processes.
///
/// When the connection to a command is closed, adbd sends a hang-up signal to the command's shell and to nothing else
/// (`Subprocess::PassDataStreams` in adb's `shell_service.cpp`): a script's shell ends, but the program that it was just
/// running goes on, which may be a monkey that keeps tapping. So a shell stands by and waits, which a signal interrupts,
/// and ends the process group that adbd made for it. The command runs in a shell of its own, so that its `$$` is its own.
pub(super) fn leashed(command: &str) -> String {
    // A program in the background would have no input, so the shell's own is kept for it under another number.
    format!(
        "trap 'trap - HUP; kill -TERM -$$ 2>/dev/null || kill -TERM $! 2>/dev/null; exit 129' HUP\n\
         exec 3<&0\n\
         sh -c {} <&3 3<&- &\n\
         exec 3<&- </dev/null\n\
         wait $!",
        quote(command)
    )
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::leashed;

    /// The machine's shell, and Android's own if it is here.
    fn shells() -> impl Iterator<Item = &'static str> {
        let mksh = Path::new("/usr/bin/mksh").is_file() || Path::new("/bin/mksh").is_file();
        if !mksh {
            // Written past `eprintln!`, which the test harness captures.
            let _ = writeln!(std::io::stderr(), "SKIPPED shells of Android: no mksh");
        }
        std::iter::once("sh").chain(mksh.then_some("mksh"))
    }

    fn start(shell: &str, command: &str) -> Child {
        // Whoever runs the tests may ignore hang-ups (`nohup`), which no shell can undo; on the device nobody does.
        let mut start = Command::new("env");
        start.args(["--default-signal=HUP", shell, "-c"]).arg(leashed(command)).process_group(0);
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        start.spawn().expect("a shell")
    }

    #[test]
    fn a_command_on_a_leash_does_what_it_does() {
        for shell in shells() {
            for (command, stdout, stderr, status) in [
                ("cat; echo err >&2; exit 4", "in's\n", "err\n", 4),
                ("read -r word; echo \"got $word\"", "got in's\n", "", 0),
                ("true # a comment", "", "", 0),
                ("cat <<X\ntext\nX", "text\n", "", 0),
                ("false", "", "", 1),
            ] {
                let mut child = start(shell, command);
                let mut input = child.stdin.take().expect("an input");
                // Not every command reads it.
                let _ = input.write_all(b"in's\n");
                drop(input);
                let output = child.wait_with_output().expect("it ends");
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                assert_eq!(
                    (
                        text(&output.stdout).as_str(),
                        text(&output.stderr).as_str(),
                        output.status.code()
                    ),
                    (stdout, stderr, Some(status)),
                    "{shell}: {command}"
                );
            }
        }
    }

    #[test]
    fn a_hung_up_command_takes_all_its_processes_with_it() {
        for shell in shells() {
            for command in [
                "sleep 1000 & echo $!; wait",
                "sh -c 'echo $$; exec sleep 1000'; true",
                "while true; do sh -c 'echo $$; exec sleep 1000'; done",
                "sh -c 'echo $$; exec sleep 1000' | cat; true",
                "echo $$; exec sleep 1000",
            ] {
                let mut child = start(shell, command);
                let mut pid = String::new();
                let output = child.stdout.take().expect("an output");
                BufReader::new(output).read_line(&mut pid).expect("a line");
                let process = Path::new("/proc").join(pid.trim()).join("cmdline");
                let hang_up = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
                assert!(hang_up.expect("kill").success());
                child.wait().expect("it ends");
                // A process that has ended but that nobody has asked about has no command line any more.
                let end = Instant::now() + Duration::from_secs(20);
                while std::fs::read(&process).is_ok_and(|line| !line.is_empty()) {
                    assert!(Instant::now() < end, "{shell}: {command}: {pid} goes on");
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }
}
