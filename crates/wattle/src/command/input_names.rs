//! Names of inputs in results and messages, also where a file stands for a pipe.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that stand for pipes, and the names of those.
static PIPED: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

/// From now on a file goes by the name of the pipe that it stands for.
pub fn stands_for(file: &Path, name: &str) {
    let mut piped = PIPED.lock().unwrap_or_else(PoisonError::into_inner);
    piped.push((file.to_owned(), name.to_owned()));
}

/// The name of an input: as on the command line.
pub fn shown(path: &Path) -> String {
    let piped = PIPED.lock().unwrap_or_else(PoisonError::into_inner);
    let name = piped.iter().find(|(file, _)| file == path).map(|(_, name)| name.clone());
    name.unwrap_or_else(|| path.display().to_string())
}
