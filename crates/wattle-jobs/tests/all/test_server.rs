//! Servers of tests.

use std::path::PathBuf;

use wattle_jobs::{
    AnalysisOptions, Job, JobKind, JobState, NewJob, NewUpload, NewUser, Password, ProjectId,
    ServerData, ServerLimits, ServerLocation, StopSignal, StoredFile, UserAccount, UserId,
    WallClock, Worker, WorkerSettings,
};

use crate::postgres_server::PostgresServer;
use crate::server_place;

/// A place for a server that goes away with the test.
#[derive(Debug)]
pub struct TestPlace {
    pub folder: tempfile::TempDir,
    pub url: String,
}

impl TestPlace {
    /// A folder with SQLite.
    pub fn sqlite() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), url: String::new() }
    }

    /// A folder, and a new database of a server.
    pub fn postgres(server: &PostgresServer, name: &str) -> Self {
        Self { url: server.new_database(name), ..Self::sqlite() }
    }

    pub fn folder(&self) -> &str {
        self.folder.path().to_str().expect("UTF-8")
    }

    pub fn location(&self) -> ServerLocation {
        server_place::location(self.folder(), &self.url)
    }

    pub async fn open(&self) -> ServerData {
        self.open_with(server_place::limits()).await
    }

    pub async fn open_with(&self, limits: ServerLimits) -> ServerData {
        ServerData::open(&self.location(), limits).await.expect("opened")
    }

    pub async fn open_at(&self, clock: WallClock) -> ServerData {
        let limits = server_place::limits();
        ServerData::open_with_clock(&self.location(), limits, clock).await.expect("opened")
    }
}

/// Runs something to its end.
pub fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

pub const PASSWORD: &str = "a password of the test";

pub async fn user(data: &ServerData, name: &str) -> UserAccount {
    let new = NewUser {
        name: name.to_owned(),
        title: String::new(),
        password: Some(Password::new(PASSWORD).expect("long enough")),
        is_admin: false,
    };
    data.accounts().create(&new).await.expect("a user")
}

pub async fn project(data: &ServerData, name: &str) -> ProjectId {
    data.projects().create(name, "", None).await.expect("a project").id
}

pub fn new_upload(project: ProjectId, name: &str, bytes: usize) -> NewUpload {
    let name = name.to_owned();
    NewUpload { project, owner: None, name, bytes: bytes as u64, sha256: None, set: None }
}

/// Uploads a file.
pub async fn upload(
    data: &ServerData,
    project: ProjectId,
    owner: Option<UserId>,
    content: &[u8],
) -> StoredFile {
    let new = NewUpload { owner, ..new_upload(project, "run.trace", content.len()) };
    let upload = data.uploads().begin(&new).await.expect("begun");
    data.uploads().append(project, &upload.id, 0, content).await.expect("written");
    data.uploads().finish(project, &upload.id).await.expect("finished")
}

pub fn new_job(file: &StoredFile) -> NewJob {
    NewJob {
        project: file.project,
        owner: file.owner,
        title: String::new(),
        kind: JobKind::Analyse(AnalysisOptions::default()),
        files: vec![file.id],
        device: None,
    }
}

/// Submits a job whose program does what the text says.
pub async fn submit(data: &ServerData, project: ProjectId, text: &str) -> Job {
    let file = upload(data, project, None, text.as_bytes()).await;
    data.jobs().submit(&new_job(&file)).await.expect("submitted")
}

/// The example `stand_in`, which `cargo test` builds beside the tests.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let program = folder.join("examples/stand_in");
    assert!(
        program.is_file(),
        "{} is not built: run `cargo test -p wattle-jobs`",
        program.display()
    );
    program
}

pub fn settings(name: &str) -> WorkerSettings {
    WorkerSettings { confines: false, ..WorkerSettings::new(name, program()) }
}

/// Lets a worker do one job.
pub async fn work(data: &ServerData, settings: WorkerSettings) -> Option<JobState> {
    let mut worker = Worker::new(data.clone(), settings);
    worker.run_once(&StopSignal::default()).await.expect("the worker works")
}

pub fn sha256(bytes: &[u8]) -> String {
    wattle_store::KeptLedger::of_bytes(bytes).sha256
}
