//! The place of a server's data.

use std::fmt;
use std::path::{Path, PathBuf};

use wattle_store::StoreLocation;

use super::{ProjectId, UploadId};

/// The place of a server's data: a folder, and with PostgreSQL a database for everything but files.
///
/// ```text
/// FOLDER/server.db                 accounts, projects, uploads, jobs   (with PostgreSQL: tables of its public schema)
/// FOLDER/uploads/ID                uploads that have not been finished
/// FOLDER/projects/N/files/ab/…     files of a project, by their SHA-256
/// FOLDER/projects/N/wattle.toml    the project's budgets
/// FOLDER/projects/N/history/       the project's history of runs       (with PostgreSQL: the schema wattle_project_N)
/// FOLDER/jobs/                     folders of running jobs
/// ```
///
/// Several machines share the folder by a network file system and use the same database.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerLocation {
    folder: PathBuf,
    postgres: Option<String>,
}

impl ServerLocation {
    /// A folder with a SQLite database.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), postgres: None }
    }

    /// A folder for files, and a PostgreSQL database, by its URL, which may contain a password.
    pub fn with_postgres(folder: impl Into<PathBuf>, url: impl Into<String>) -> Self {
        Self { folder: folder.into(), postgres: Some(url.into()) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The URL of the PostgreSQL database.
    pub(crate) fn postgres(&self) -> Option<&str> {
        self.postgres.as_deref()
    }

    /// The file of the SQLite database.
    pub fn database_file(&self) -> PathBuf {
        self.folder.join("server.db")
    }

    pub(crate) fn uploads(&self) -> PathBuf {
        self.folder.join("uploads")
    }

    pub(crate) fn upload_file(&self, upload: &UploadId) -> PathBuf {
        self.uploads().join(upload.as_str())
    }

    /// The folder in which jobs have theirs.
    pub fn jobs(&self) -> PathBuf {
        self.folder.join("jobs")
    }

    pub(crate) fn projects(&self) -> PathBuf {
        self.folder.join("projects")
    }

    /// The folder of a project.
    pub fn project(&self, project: ProjectId) -> PathBuf {
        self.projects().join(project.0.to_string())
    }

    /// The file with the budgets of a project, where it has some.
    pub fn budget_file(&self, project: ProjectId) -> PathBuf {
        self.project(project).join("wattle.toml")
    }

    /// The file with this content in a project. `sha256` is digits, as the database has them.
    pub(crate) fn content_file(&self, project: ProjectId, sha256: &str) -> PathBuf {
        self.project(project).join("files").join(sha256.get(..2).unwrap_or("00")).join(sha256)
    }

    /// The schema of a project's history in PostgreSQL.
    pub(crate) fn history_schema(project: ProjectId) -> String {
        format!("wattle_project_{}", project.0)
    }

    /// The history of a project.
    pub fn history(&self, project: ProjectId) -> StoreLocation {
        match &self.postgres {
            None => StoreLocation::Folder(self.project(project).join("history")),
            Some(url) => {
                let joint = if url.contains('?') { '&' } else { '?' };
                let schema = Self::history_schema(project);
                StoreLocation::Postgres(format!("{url}{joint}options[search_path]={schema}"))
            }
        }
    }
}

/// The place without a password.
impl fmt::Display for ServerLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.postgres {
            None => write!(f, "{}", self.folder.display()),
            Some(url) => {
                let database = StoreLocation::Postgres(url.clone());
                write!(f, "{database} with files in {}", self.folder.display())
            }
        }
    }
}

/// As [`Display`](fmt::Display), so that no log has a password.
impl fmt::Debug for ServerLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
