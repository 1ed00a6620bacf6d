//! Digests from another process of the program.

use std::ffi::OsString;
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::server_setup::ServerSetup;
use crate::energy::{
    CallDetails, DigestReadError, GroupEnergies, ProjectEnergies, read_calls, read_energies,
};

/// The most bytes of an error that are shown.
const LONGEST_ERROR: u64 = 2000;

/// Reads the energies of the project.
pub(super) fn energies(
    setup: &ServerSetup,
    folder: Option<&Path>,
) -> Result<ProjectEnergies, String> {
    digest(setup, (&setup.energy_arguments, folder), |output| read_energies(output))
}

/// Reads the calls of a run, between methods of its group.
pub(super) fn calls(
    setup: &ServerSetup,
    folder: Option<&Path>,
    (run, group): (i64, &GroupEnergies),
) -> Result<CallDetails, String> {
    let mut arguments = setup.call_arguments.clone();
    arguments.push(format!("run:{run}").into());
    digest(setup, (&arguments, folder), |output| read_calls((run, &group.methods), output))
}

fn digest<T>(
    setup: &ServerSetup,
    (arguments, folder): (&[OsString], Option<&Path>),
    read: impl FnOnce(&mut dyn std::io::BufRead) -> Result<T, DigestReadError>,
) -> Result<T, String> {
    let mut command = Command::new(&setup.program);
    command.args(arguments).envs(setup.variables.iter().cloned());
    if let Some(folder) = folder {
        check_folder(folder)?;
        command.current_dir(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| format!("{}: {error}", setup.program.display()))?;
    let errors = errors(&mut child);
    let result = match child.stdout.take() {
        Some(output) => read(&mut BufReader::with_capacity(1 << 16, output)),
        None => Err(std::io::Error::other("no output").into()),
    };
    let status = child.wait().map_err(|error| error.to_string())?;
    let message = errors.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() {
        return result.map_err(|error| error.to_string());
    }
    Err(in_a_line(&message))
}

/// Says that the project's folder is missing, which the system says of the program instead.
pub(super) fn check_folder(folder: &Path) -> Result<(), String> {
    if folder.is_dir() {
        return Ok(());
    }
    Err(format!("{}: the project's folder is missing", folder.display()))
}

/// A message in one line: lines that list something follow the one that ends with a colon, and the reason follows the place in a file that
/// is shown with it.
fn in_a_line(message: &str) -> String {
    let is_excerpt = |line: &str| {
        line.trim_start_matches(|it: char| it.is_ascii_digit() || it == ' ').starts_with('|')
    };
    if message.lines().any(is_excerpt) {
        let lines: Vec<&str> = message
            .lines()
            .filter(|line| !line.trim().is_empty() && !is_excerpt(line))
            .map(|line| line.trim_start_matches("error: ").trim())
            .collect();
        return lines.join(": ");
    }
    let mut text = String::new();
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if text.is_empty() {
            text.push_str(line.trim_start_matches("error: "));
            if !text.ends_with(':') {
                break;
            }
        } else {
            let words: Vec<&str> = line.split_whitespace().collect();
            text.push_str(if text.ends_with(':') { " " } else { "; " });
            text.push_str(&words.join(" "));
        }
    }
    if text.is_empty() { "no message".to_owned() } else { text }
}

/// Reads the errors of a child meanwhile, so that neither waits for the other.
fn errors(child: &mut Child) -> Option<std::thread::JoinHandle<String>> {
    let errors = child.stderr.take()?;
    let read = move || {
        let mut text = Vec::new();
        let mut errors = errors;
        let _ = (&mut errors).take(LONGEST_ERROR).read_to_end(&mut text);
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        String::from_utf8_lossy(&text).into_owned()
    };
    Some(std::thread::spawn(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_whole_in_a_line() {
        let list = "error: no run was kept: keep one with --keep:\n  wattle run app.apk --keep   (on a device)\n  wattle report t --keep\n";
        assert_eq!(
            in_a_line(list),
            "no run was kept: keep one with --keep: wattle run app.apk --keep (on a device); wattle report t --keep"
        );
        assert_eq!(in_a_line("error: bad file\nmore\n"), "bad file");
        assert_eq!(
            in_a_line(
                "error: configuration wattle.toml: TOML parse error at line 1, column 1\n  |\n1 | app = \"x\"\n  | ^^^\nunknown field `app`\n"
            ),
            "configuration wattle.toml: TOML parse error at line 1, column 1: unknown field `app`"
        );
        assert_eq!(in_a_line("\n"), "no message");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let problem = check_folder(Path::new("/nothing/here")).expect_err("missing");
        assert_eq!(problem, "/nothing/here: the project's folder is missing");
    }
}
