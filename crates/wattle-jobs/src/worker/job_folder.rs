//! The folder of a running job.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::{ServerError, ServerLocation, make_private_folder};
use crate::queue::JobClaim;
use crate::uploads::path_name;

/// The folder of a running job: `in/` with its files, `out/` for what it makes, `tmp/`. It is deleted when dropped.
#[derive(Debug)]
pub(crate) struct JobFolder {
    path: PathBuf,
    /// The files, in their order, relative to the folder.
    pub inputs: Vec<String>,
    /// The folder of all files, where they are one recording with its description.
    pub recording: Option<String>,
}

impl JobFolder {
    /// Makes the folder of a claim.
    pub fn make(location: &ServerLocation, claim: &JobClaim) -> Result<Self, ServerError> {
        let path = location.jobs().join(format!("{}-{}", claim.job.id, claim.number));
        // One of the same claim can only be left over from before a restored backup.
        let _ = fs::remove_dir_all(&path);
        let mut folder = Self { path, inputs: Vec::new(), recording: None };
        for part in ["in", "out", "tmp"] {
            make_private_folder(&folder.path.join(part))?;
        }
        let is_recording = claim.inputs.iter().any(|input| input.name == "recording.json");
        for (at, input) in claim.inputs.iter().enumerate() {
            let Some(sha256) = &input.sha256 else { return Err(ServerError::NotFound("file")) };
            let name = path_name(&input.name);
            let place = if is_recording { "in/recording".to_owned() } else { format!("in/{at}") };
            make_private_folder(&folder.path.join(&place))?;
            let mut inner = format!("{place}/{name}");
            if folder.inputs.contains(&inner) {
                inner = format!("{place}/{at}_{name}");
            }
            give(&location.content_file(claim.job.project, sha256), &folder.path.join(&inner))?;
            folder.inputs.push(inner);
        }
        folder.recording = is_recording.then(|| "in/recording".to_owned());
        Ok(folder)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for what the job makes.
    pub fn out(&self) -> PathBuf {
        self.path.join("out")
    }

    /// Beginnings of paths that nobody needs to read.
    pub fn hidden(&self) -> Vec<String> {
        let parents =
            self.inputs.iter().filter_map(|input| Some(input.rsplit_once('/')?.0.to_owned()));
        let mut hidden = vec![self.path.to_string_lossy().into_owned()];
        hidden.extend(parents);
        hidden
    }

    /// Bytes of all files that the job wrote, as far as they can be seen.
    pub fn written(&self) -> u64 {
        [self.out(), self.path.join("tmp")].iter().map(|folder| bytes_below(folder, 16)).sum()
    }
}

impl Drop for JobFolder {
    fn drop(&mut self) {
        // What is left is swept later.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A second name, which costs nothing; where the file system has none, a copy.
fn give(from: &Path, to: &Path) -> Result<(), ServerError> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to).map(drop).map_err(ServerError::file(from))
}

fn bytes_below(folder: &Path, depth: u32) -> u64 {
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(known) if known.is_dir() => bytes_below(&entry.path(), depth),
        // The entry itself counts: a million empty files are some megabytes, too.
        Ok(known) => known.len().saturating_add(4096),
        Err(_) => 0,
    });
    bytes.fold(0, u64::saturating_add)
}
