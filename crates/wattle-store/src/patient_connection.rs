//! Connections to databases that several programs use at once.

use std::time::{Duration, Instant};

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection as _};

use crate::dialect::Dialect;

/// The longest wait for another writer.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// The pause between two attempts where SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(20);

/// Connects. Several programs may make a file at once: SQLite's are waited for.
///
/// # Errors
/// Those of the database.
pub async fn connect_patiently(options: &AnyConnectOptions) -> sqlx::Result<AnyConnection> {
    let began = Instant::now();
    loop {
        match AnyConnection::connect_with(options).await {
            Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => {
                tokio::time::sleep(PAUSE).await;
            }
            other => return other,
        }
    }
}

/// Sets a connection up: with SQLite, readers do not wait for the writer, and what is committed outlives a power cut.
///
/// # Errors
/// Those of the database.
pub async fn configure(connection: &mut AnyConnection, dialect: Dialect) -> sqlx::Result<()> {
    if dialect == Dialect::Postgres {
        return Ok(());
    }
    let milliseconds = format!("PRAGMA busy_timeout = {}", PATIENCE.as_millis());
    sqlx::raw_sql(sqlx::AssertSqlSafe(milliseconds)).execute(&mut *connection).await?;
    // Changing the journal is the one thing for which SQLite does not wait itself.
    let began = Instant::now();
    loop {
        match sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut *connection).await {
            Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => {
                tokio::time::sleep(PAUSE).await;
            }
            other => {
                other?;
                break;
            }
        }
    }
    sqlx::raw_sql("PRAGMA synchronous = FULL").execute(connection).await?;
    Ok(())
}

/// Whether SQLite refused because of another connection: `SQLITE_BUSY` and `SQLITE_LOCKED`, extended codes included.
pub fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|it| it.code()?.parse::<u32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, 5 | 6))
}
