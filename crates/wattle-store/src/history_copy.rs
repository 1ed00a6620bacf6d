//! Copies of histories in folders, for backups.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sqlx::{AnyConnection, Connection as _, Row as _};

use crate::ledger_folder::LedgerFolder;
use crate::open_database::sqlite_url;
use crate::{StoreError, StoreLocation};

/// Attempts at a copy while runs are being deleted.
const ATTEMPTS: u32 = 5;

/// Copies a history while it is used: its database as it is at one moment, and the ledgers of the runs in it. The folder must not have one.
pub(crate) async fn copy(
    connection: &mut AnyConnection,
    location: &StoreLocation,
    ledgers: &LedgerFolder,
    to: &Path,
) -> Result<(), StoreError> {
    let fail = |error| StoreError::database(location, error);
    let database = StoreLocation::database_file(to);
    fs::create_dir_all(to).map_err(|error| StoreError::file(location, to, error))?;
    let mut attempt = 0;
    loop {
        let target = database.to_string_lossy().into_owned();
        sqlx::query("VACUUM INTO $1").bind(target).execute(&mut *connection).await.map_err(fail)?;
        let wanted = ledgers_of(&database).await.map_err(fail)?;
        match copy_ledgers(ledgers, &wanted, &LedgerFolder::beside_database(to)) {
            // A ledger was deleted since, with its runs: they are not in the next attempt.
            Err((_, error))
                if error.kind() == std::io::ErrorKind::NotFound && attempt < ATTEMPTS =>
            {
                attempt += 1;
                fs::remove_file(&database)
                    .map_err(|error| StoreError::file(location, &database, error))?;
            }
            Err((path, error)) => return Err(StoreError::file(location, &path, error)),
            Ok(()) => return Ok(()),
        }
    }
}

async fn ledgers_of(database: &Path) -> sqlx::Result<BTreeSet<String>> {
    let mut copy = AnyConnection::connect(&sqlite_url(database)).await?;
    let rows = sqlx::query("SELECT sha256 FROM ledger").fetch_all(&mut copy).await?;
    let ledgers = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
    copy.close().await?;
    Ok(ledgers)
}

fn copy_ledgers(
    from: &LedgerFolder,
    wanted: &BTreeSet<String>,
    to: &LedgerFolder,
) -> Result<(), (std::path::PathBuf, std::io::Error)> {
    for sha256 in wanted {
        let (source, target) = (from.file(sha256), to.file(sha256));
        let folder = target.parent().unwrap_or(&target);
        fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
        fs::copy(&source, &target).map_err(|error| (source.clone(), error))?;
    }
    Ok(())
}
