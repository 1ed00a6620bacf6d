//! The recordings that are open.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, SystemTime};

use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;

use super::{OpenedRecording, ProgramRun, ToolJob};
use crate::answer::{ToolError, clip};
use crate::mcp_setup::ServerSetup;

/// The most recordings that are open.
const MOST_OPEN: usize = 8;
/// The most bytes that the saved ledgers of open recordings have, in their files; the last one that was opened stays in any case.
const MOST_BYTES: u64 = 256 << 20;
/// The longest analysis.
const LONGEST_ANALYSIS: Duration = Duration::from_hours(1);
/// Time between two looks whether it is a recording's turn.
const WAIT: Duration = Duration::from_millis(20);
/// The beginning of the names of folders for analyses.
pub const ANALYSIS_FOLDER: &str = "wattle-mcp-";
/// The most recordings whose app and model are remembered.
const MOST_REMEMBERED: usize = 64;
/// The largest file of findings.
const LARGEST_FINDINGS: u64 = 64 << 20;

/// The file names that an analysis writes: the ledger, and findings where there are some.
pub const ANALYSED_LEDGER: &str = "analysed.ledger.json.zst";
/// See [`ANALYSED_LEDGER`].
pub const ANALYSED_FINDINGS: &str = "findings.json";

/// A recording that is to be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenRequest {
    /// Files, a folder, or `run:N`.
    pub paths: Vec<String>,
    /// The app that it is about.
    pub app: Option<String>,
    /// A device model.
    pub device_model: Option<String>,
    /// The history that names of kept runs are of, where it was found by a folder that was asked about.
    pub history: Option<PathBuf>,
}

/// Identity of a request: what is to be opened, and the state of its files.
type RequestKey = (OpenRequest, Vec<Option<(u64, SystemTime)>>);

#[derive(Debug, Default)]
struct Shelf {
    /// The last handle's number.
    last: u64,
    /// Open recordings, the one that was used last at the end.
    open: Vec<(RequestKey, Arc<OpenedRecording>)>,
    /// The ways in which recordings were opened, the last one at the end: who asks by path means the same app and model.
    asked: Vec<OpenRequest>,
    /// The folder of the recording that was asked for last.
    folder: Option<PathBuf>,
}

/// The recordings that are open.
#[derive(Debug)]
pub struct RecordingShelf {
    setup: Arc<ServerSetup>,
    shelf: Mutex<Shelf>,
    /// Held while a recording is analysed.
    analysing: Mutex<()>,
}

impl RecordingShelf {
    /// An empty one.
    pub fn new(setup: Arc<ServerSetup>) -> Self {
        Self { setup, shelf: Mutex::default(), analysing: Mutex::default() }
    }

    /// The open recordings, the one that was used last first.
    pub fn all(&self) -> Vec<Arc<OpenedRecording>> {
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.open.iter().rev().map(|(_, opened)| Arc::clone(opened)).collect()
    }

    /// A recording by its handle; one that is not open is opened by its path or the name of a kept run. Without a name the one that was
    /// used last.
    pub fn get(
        &self,
        name: Option<&str>,
        job: &ToolJob,
    ) -> Result<Arc<OpenedRecording>, ToolError> {
        let Some(name) = name else {
            return self.all().into_iter().next().ok_or_else(|| {
                ToolError::new("no recording is open: call open with the path of a trace, a recording's folder, a saved ledger or run:N")
            });
        };
        if is_handle(name) {
            return self.touch(|_, opened| opened.handle == name).ok_or_else(|| {
                let open = self.all();
                let open: Vec<String> =
                    open.iter().map(|it| format!("{} ({})", it.handle, clip(&it.name, 80))).collect();
                let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
                ToolError::new(format!(
                    "recording {name} is not open (any more); open are: {open}. Call open with its path again"
                ))
            });
        }
        let known = self.remembered(name);
        // Another history may have a run of this number.
        let known = known.filter(|it| !is_run(name) || it.history == self.history());
        let request = known.unwrap_or_else(|| OpenRequest {
            paths: vec![name.to_owned()],
            ..OpenRequest::default()
        });
        // One that this server has made lies where other files may not be read.
        let own = self.touch(|(known, states), _| *known == request && states.is_empty());
        own.map_or_else(|| self.open(&request, job), Ok)
    }

    /// The way in which a recording was opened the last time, by its first file.
    fn remembered(&self, name: &str) -> Option<OpenRequest> {
        let wanted = whole(name).ok()?;
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let first = |request: &&OpenRequest| request.paths.first().and_then(|it| whole(it).ok());
        shelf.asked.iter().rev().find(|it| first(it).as_ref() == Some(&wanted)).cloned()
    }

    fn remember(&self, request: &OpenRequest) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.asked.retain(|known| known.paths != request.paths);
        if shelf.asked.len() >= MOST_REMEMBERED {
            shelf.asked.remove(0);
        }
        shelf.asked.push(request.clone());
        if let Some(first) = request.paths.first().filter(|path| !is_run(path))
            && let Ok(path) = whole(first)
        {
            let is_folder = path.is_dir();
            shelf.folder = if is_folder { Some(path) } else { path.parent().map(PathBuf::from) };
        }
    }

    /// The history of the folder that was asked about last, else of the server's; `None` where flags or a configuration name one, and where
    /// none is found.
    pub fn history(&self) -> Option<PathBuf> {
        let near = self.setup.history_near?;
        let asked = self.shelf.lock().unwrap_or_else(PoisonError::into_inner).folder.clone();
        let found = asked.as_deref().and_then(near);
        let found = found.or_else(|| near(&std::env::current_dir().ok()?))?;
        self.allowed(&found).ok()
    }

    /// The arguments that name the history.
    pub fn history_arguments(&self) -> Vec<OsString> {
        match self.history() {
            Some(folder) => vec!["--store".into(), folder.into()],
            None => self.setup.store_arguments.clone(),
        }
    }

    /// Opens a recording, unless it is open already and its files have not changed.
    pub fn open(
        &self,
        request: &OpenRequest,
        job: &ToolJob,
    ) -> Result<Arc<OpenedRecording>, ToolError> {
        let mut states = Vec::new();
        for path in request.paths.iter().chain(&request.device_model) {
            states.push(self.check(path)?);
        }
        let mut request = request.clone();
        if request.paths.iter().any(|path| is_run(path)) && request.history.is_none() {
            request.history = self.history();
        }
        self.open_checked(&request, states, job)
    }

    /// Opens a recording that this server has made itself, wherever that is.
    pub fn open_own(
        &self,
        request: &OpenRequest,
        job: &ToolJob,
    ) -> Result<Arc<OpenedRecording>, ToolError> {
        self.open_checked(request, Vec::new(), job)
    }

    fn open_checked(
        &self,
        request: &OpenRequest,
        states: Vec<Option<(u64, SystemTime)>>,
        job: &ToolJob,
    ) -> Result<Arc<OpenedRecording>, ToolError> {
        let key = (request.clone(), states);
        self.remember(request);
        if let Some(open) = self.touch(|known, _| *known == key) {
            return Ok(open);
        }
        let turn = self.turn(job)?;
        // Another call may have asked for the same.
        if let Some(open) = self.touch(|known, _| *known == key) {
            return Ok(open);
        }
        let (ledger, diagnosis, bytes) = self.analyse(request, job)?;
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.last += 1;
        let apps = match &request.app {
            Some(app) => vec![app.clone()],
            None => ledger.recording.apps.clone(),
        };
        let opened = Arc::new(OpenedRecording {
            handle: format!("r{}", shelf.last),
            name: request.paths.join(", "),
            apps,
            ledger,
            diagnosis,
            bytes,
            reports: Mutex::default(),
        });
        shelf.open.push((key, Arc::clone(&opened)));
        while shelf.open.len() > 1
            && (shelf.open.len() > MOST_OPEN
                || shelf.open.iter().map(|(_, it)| it.bytes).sum::<u64>() > MOST_BYTES)
        {
            shelf.open.remove(0);
        }
        drop(shelf);
        drop(turn);
        // Answers come at once after this.
        opened.report(None);
        Ok(opened)
    }

    /// An open recording, which becomes the one that was used last.
    fn touch(
        &self,
        is_meant: impl Fn(&RequestKey, &OpenedRecording) -> bool,
    ) -> Option<Arc<OpenedRecording>> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let at = shelf.open.iter().position(|(key, opened)| is_meant(key, opened))?;
        let found = shelf.open.remove(at);
        let opened = Arc::clone(&found.1);
        shelf.open.push(found);
        Some(opened)
    }

    /// The state of a file; `None` for kept runs. Refuses what is no file or folder, and what is outside of the folders that may be read.
    fn check(&self, path: &str) -> Result<Option<(u64, SystemTime)>, ToolError> {
        if is_run(path) {
            return Ok(None);
        }
        let shown = clip(path, 200);
        let whole = self.allowed(Path::new(path))?;
        let metadata = std::fs::metadata(&whole)
            .map_err(|error| ToolError::new(format!("{shown}: {error}")))?;
        if !metadata.is_file() && !metadata.is_dir() {
            return Err(ToolError::new(format!("{shown}: expected a file or a folder")));
        }
        let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(Some((metadata.len(), changed)))
    }

    /// A path in its whole form, if it may be read.
    pub fn allowed(&self, path: &Path) -> Result<PathBuf, ToolError> {
        let shown = clip(&path.display().to_string(), 200);
        let whole = path.canonicalize().map_err(|error| {
            let hint = if error.kind() == std::io::ErrorKind::NotFound {
                "; expected the path of a trace, a recording's folder or a saved ledger, run:N for a kept run, or a handle such as r1"
            } else {
                ""
            };
            ToolError::new(format!("{shown}: {error}{hint}"))
        })?;
        let roots = &self.setup.roots;
        if !roots.is_empty() && !roots.iter().any(|root| whole.starts_with(root)) {
            let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
            return Err(ToolError::new(format!(
                "{shown} is outside of the folders that this server may read: {}; --root allows others",
                clip(&roots.join(", "), 400)
            )));
        }
        Ok(whole)
    }

    /// Waits until no other recording is analysed: one at a time uses all cores, and memory has a bound.
    fn turn(&self, job: &ToolJob) -> Result<MutexGuard<'_, ()>, ToolError> {
        loop {
            match self.analysing.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(WAIT),
            }
            job.check()?;
        }
    }

    /// Analyses a recording in another process, which writes a ledger and findings into a folder.
    fn analyse(
        &self,
        request: &OpenRequest,
        job: &ToolJob,
    ) -> Result<(Ledger, Option<Diagnosis>, u64), ToolError> {
        let folder = private_folder()
            .map_err(|error| ToolError::new(format!("folder for the analysis: {error}")))?;
        let mut arguments: Vec<OsString> = self.setup.analysis_arguments.clone();
        arguments.push(folder.path().into());
        if let Some(history) = &request.history {
            arguments.extend(["--store".into(), history.into()]);
        }
        // In one word, so that a value that begins with a dash is not taken for a flag.
        let flag = |name: &str, value: &std::ffi::OsStr| {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value);
            word
        };
        arguments.extend(request.app.iter().map(|app| flag("app", app.as_ref())));
        if let Some(model) = &request.device_model {
            arguments.push(flag("device-model", whole(model)?.as_os_str()));
        }
        arguments.push("--".into());
        for path in &request.paths {
            arguments.push(whole(path)?.into());
        }
        let run = ProgramRun {
            program: self.setup.program.clone(),
            arguments,
            deadline: LONGEST_ANALYSIS,
        };
        let ended = run.run(job)?;
        if ended.code != Some(0) {
            return Err(ToolError::new(ended.message()));
        }
        let file = folder.path().join(ANALYSED_LEDGER);
        let ledger = Ledger::load(&file)
            .map_err(|error| ToolError::new(format!("the analysis: {error}")))?;
        let bytes = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
        let diagnosis = findings(&folder.path().join(ANALYSED_FINDINGS))?;
        Ok((ledger, diagnosis, bytes))
    }
}

/// A folder that only this user can read, deleted with the value: recordings name what somebody did.
pub fn private_folder() -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(ANALYSIS_FOLDER);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// A path as a child gets it: whole, so that it is the file that was checked. Names of kept runs are as they are.
fn whole(path: &str) -> Result<PathBuf, ToolError> {
    if is_run(path) {
        return Ok(path.into());
    }
    let failed = |error: std::io::Error| ToolError::new(format!("{}: {error}", clip(path, 200)));
    Path::new(path).canonicalize().map_err(failed)
}

fn findings(path: &Path) -> Result<Option<Diagnosis>, ToolError> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
    if metadata.len() > LARGEST_FINDINGS {
        return Ok(None);
    }
    let failed = |error: String| ToolError::new(format!("findings of the analysis: {error}"));
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(error.to_string()))
}

/// Whether a name is a handle: `r1`.
fn is_handle(name: &str) -> bool {
    let digits = name.strip_prefix('r').unwrap_or_default();
    !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether a name is that of a kept run: `run:12`.
pub fn is_run(name: &str) -> bool {
    let digits = name.strip_prefix("run:").unwrap_or_default();
    !digits.is_empty() && digits.len() < 19 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_of_analyses_are_for_their_user_alone() {
        let folder = private_folder().expect("a folder");
        let mode = std::fs::metadata(folder.path()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
