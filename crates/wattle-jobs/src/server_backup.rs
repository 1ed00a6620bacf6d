//! Backups of a server.
//!
//! A backup is a folder like a server's own, without open uploads and sessions, and with a list of its files and their digests,
//! which is written last: what has no list is no whole backup.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use sqlx::{AnyConnection, Connection as _, Row as _};
use wattle_store::{StoreLocation, sqlite_url};

use crate::base::{
    ProjectId, SERVER_SCHEMA_VERSION, ServerError, ServerLocation, hex, make_private_folder,
};
use crate::server_data::ServerData;

/// The list of a backup's files.
const LIST: &str = "backup.json";
/// Bytes of that list.
const MOST_LIST: u64 = 1 << 30;
/// Attempts at a copy while files are being deleted.
const ATTEMPTS: u32 = 5;

/// The list of a backup's files.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BackupList {
    /// The version of the tables.
    pub version: i64,
    /// The time at which it was begun, Unix milliseconds.
    pub at_ms: i64,
    /// SHA-256 of each file, by its path in the folder.
    pub files: BTreeMap<String, String>,
}

impl ServerData {
    /// Copies everything to a folder while the server runs: accounts, projects, jobs and files as they are at one moment, and the histories
    /// of runs as they are a little later. The folder must be empty. Of a server with PostgreSQL the database is copied by `pg_dump` and the
    /// folder by any program, in this order.
    pub async fn back_up(&self, folder: &Path) -> Result<BackupList, ServerError> {
        if self.location().postgres().is_some() {
            let reason = "this server's database is PostgreSQL: first run pg_dump, then copy the server's folder";
            return Err(backup_error(folder, reason));
        }
        make_private_folder(folder)?;
        if !is_empty(folder)? {
            return Err(backup_error(folder, "expected an empty folder, or none"));
        }
        let at_ms = self.now_ms();
        let target = ServerLocation::in_folder(folder);
        let mut attempt = 0;
        let projects = loop {
            self.copy_database(&target.database_file()).await?;
            let (projects, contents) = contents_of(&target.database_file()).await?;
            match self.copy_contents(&contents, &target) {
                // A file was deleted since: it is not in the next attempt.
                Err(ServerError::File { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                    let database = target.database_file();
                    fs::remove_file(&database).map_err(ServerError::file(&database))?;
                }
                other => {
                    other?;
                    break projects;
                }
            }
        };
        for project in projects {
            let [from, to] = [self.location(), &target].map(|place| place.budget_file(project));
            if from.is_file() {
                make_private_folder(to.parent().unwrap_or(&to))?;
                fs::copy(&from, &to).map_err(ServerError::file(&from))?;
            }
            let from = self.history_location(project);
            if let (false, StoreLocation::Folder(to)) = (from.is_new(), target.history(project)) {
                let mut store = wattle_store::AsyncStore::open(&from).await?;
                store.copy_to(&to).await?;
                store.close().await?;
            }
        }
        let list = BackupList { version: SERVER_SCHEMA_VERSION, at_ms, files: digests(folder)? };
        write_list(folder, &list)?;
        Ok(list)
    }

    async fn copy_database(&self, to: &Path) -> Result<(), ServerError> {
        self.vacuum_into(to).await?;
        // What is open is not whole, and who was logged in then need not be now.
        let mut copy = AnyConnection::connect(&sqlite_url(to)).await?;
        for text in ["DELETE FROM upload", "DELETE FROM login_session", "DELETE FROM failed_login"]
        {
            sqlx::query(text).execute(&mut copy).await?;
        }
        copy.close().await?;
        Ok(())
    }

    fn copy_contents(
        &self,
        contents: &[(ProjectId, String)],
        target: &ServerLocation,
    ) -> Result<(), ServerError> {
        for (project, sha256) in contents {
            let from = self.location().content_file(*project, sha256);
            let to = target.content_file(*project, sha256);
            if !to.exists() {
                make_private_folder(to.parent().unwrap_or(&to))?;
                fs::copy(&from, &to).map_err(ServerError::file(&from))?;
            }
        }
        Ok(())
    }
}

/// Makes a server's folder of a backup, after a check that each of its files is what it was. The folder must be empty.
pub fn restore_backup(backup: &Path, location: &ServerLocation) -> Result<BackupList, ServerError> {
    let list = read_list(backup)?;
    if list.version > SERVER_SCHEMA_VERSION {
        let reason = format!(
            "its tables have version {}, and this program knows version {SERVER_SCHEMA_VERSION}: use a later wattle",
            list.version
        );
        return Err(backup_error(backup, &reason));
    }
    if location.postgres().is_some() {
        return Err(backup_error(backup, "a server with PostgreSQL is restored by pg_restore"));
    }
    let folder = location.folder();
    make_private_folder(folder)?;
    if !is_empty(folder)? {
        let reason = format!("{} is not empty; name a new folder for the server", folder.display());
        return Err(backup_error(backup, &reason));
    }
    for (path, expected) in &list.files {
        let is_inner = Path::new(path)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_inner {
            return Err(backup_error(
                backup,
                &format!("{path} would be outside of the server's folder"),
            ));
        }
        let (from, to) = (backup.join(path), folder.join(path));
        make_private_folder(to.parent().unwrap_or(&to))?;
        fs::copy(&from, &to).map_err(ServerError::file(&from))?;
        // Of the copy, so that what is checked is what is used.
        let found = digest(&to).map_err(ServerError::file(&to))?;
        if found != *expected {
            let reason =
                format!("{path} is damaged: expected the SHA-256 {expected}, found {found}");
            return Err(backup_error(backup, &reason));
        }
    }
    Ok(list)
}

fn backup_error(folder: &Path, reason: &str) -> ServerError {
    ServerError::Backup { folder: folder.to_owned(), reason: reason.to_owned() }
}

/// Projects and contents that a database names.
async fn contents_of(
    database: &Path,
) -> Result<(Vec<ProjectId>, Vec<(ProjectId, String)>), ServerError> {
    let mut copy = AnyConnection::connect(&sqlite_url(database)).await?;
    let rows = sqlx::query("SELECT id FROM project ORDER BY id").fetch_all(&mut copy).await?;
    let mut projects = Vec::new();
    for row in &rows {
        projects.push(ProjectId(row.try_get(0)?));
    }
    let text = "SELECT project, sha256 FROM stored_file UNION \
        SELECT j.project, o.sha256 FROM job_output o JOIN job j ON j.id = o.job";
    let mut contents = Vec::new();
    for row in sqlx::query(text).fetch_all(&mut copy).await? {
        contents.push((ProjectId(row.try_get(0)?), row.try_get(1)?));
    }
    copy.close().await?;
    Ok((projects, contents))
}

fn is_empty(folder: &Path) -> Result<bool, ServerError> {
    Ok(fs::read_dir(folder).map_err(ServerError::file(folder))?.next().is_none())
}

/// SHA-256 of all files of a folder, by their paths in it.
fn digests(folder: &Path) -> Result<BTreeMap<String, String>, ServerError> {
    let (mut digests, mut folders) = (BTreeMap::new(), vec![PathBuf::new()]);
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        for entry in fs::read_dir(&path).map_err(ServerError::file(&path))?.flatten() {
            let inner = inner.join(entry.file_name());
            let path = entry.path();
            if path.is_dir() {
                folders.push(inner);
            } else {
                let name = inner.to_string_lossy().into_owned();
                digests.insert(name, digest(&path).map_err(ServerError::file(&path))?);
            }
        }
    }
    Ok(digests)
}

/// Reads a file, and puts it on the disk.
fn digest(path: &Path) -> std::io::Result<String> {
    let (mut file, mut digest) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => digest.update(buffer.get(..count).unwrap_or_default()),
        }
    }
    file.sync_all()?;
    Ok(hex(&digest.finalize()))
}

fn write_list(folder: &Path, list: &BackupList) -> Result<(), ServerError> {
    let (path, text) = (folder.join(LIST), serde_json::to_vec_pretty(list).unwrap_or_default());
    let unfinished = folder.join("backup.unfinished");
    fs::write(&unfinished, text).map_err(ServerError::file(&unfinished))?;
    File::open(&unfinished).and_then(|it| it.sync_all()).map_err(ServerError::file(&unfinished))?;
    fs::rename(&unfinished, &path).map_err(ServerError::file(&path))
}

fn read_list(folder: &Path) -> Result<BackupList, ServerError> {
    let path = folder.join(LIST);
    let Ok(file) = File::open(&path) else {
        return Err(backup_error(
            folder,
            "it has no backup.json: it is no backup, or not a whole one",
        ));
    };
    let mut text = String::new();
    file.take(MOST_LIST).read_to_string(&mut text).map_err(ServerError::file(&path))?;
    serde_json::from_str(&text)
        .map_err(|error| backup_error(folder, &format!("backup.json cannot be read: {error}")))
}
