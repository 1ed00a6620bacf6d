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
    let first = message.lines().next().unwrap_or("no message");
    Err(first.trim_start_matches("error: ").to_owned())
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
