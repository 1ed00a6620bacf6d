//! The versions of a server's tables.

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};
use wattle_store::Dialect;

use super::random_secret::random_digits;
use super::{ServerError, ServerLocation};

/// The texts, by version from 1 on. Those of released versions are never changed.
const MIGRATIONS: [&str; 4] = [
    include_str!("../../migrations/1-server.sql"),
    include_str!("../../migrations/2-retention.sql"),
    include_str!("../../migrations/3-first-figures.sql"),
    include_str!("../../migrations/4-ranges.sql"),
];

/// The version of a server's tables that this program knows.
pub const SERVER_SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The version of the tables, 0 of an empty database. Later ones and those of something else are refused.
pub(crate) async fn version(
    connection: &mut AnyConnection,
    dialect: Dialect,
    location: &ServerLocation,
) -> Result<i64, ServerError> {
    let tables = sqlx::query(dialect.tables()).fetch_all(&mut *connection).await?;
    let mut has_ours = false;
    for table in &tables {
        has_ours |= table.try_get::<String, _>("name")? == "wattle_server";
    }
    if !has_ours {
        if tables.is_empty() {
            return Ok(0);
        }
        return Err(ServerError::Foreign { location: location.clone() });
    }
    let version = sqlx::query("SELECT version FROM wattle_server");
    let found: i64 = version.fetch_one(&mut *connection).await?.try_get(0)?;
    if found > SERVER_SCHEMA_VERSION {
        let (location, known) = (location.clone(), SERVER_SCHEMA_VERSION);
        return Err(ServerError::Newer { location, found, known });
    }
    Ok(found)
}

/// Changes the tables of `from`, 0 for an empty database, into those of [`SERVER_SCHEMA_VERSION`].
pub(crate) async fn migrate(
    connection: &mut AnyConnection,
    dialect: Dialect,
    from: i64,
) -> Result<(), ServerError> {
    if from == 0 {
        let table = "CREATE TABLE wattle_server (version BIGINT NOT NULL)";
        sqlx::query(table).execute(&mut *connection).await?;
        let row = "INSERT INTO wattle_server (version) VALUES (0)";
        sqlx::query(row).execute(&mut *connection).await?;
    }
    let done = usize::try_from(from).unwrap_or_default();
    for statement in MIGRATIONS.iter().skip(done).flat_map(|text| dialect.statements(text)) {
        sqlx::query(AssertSqlSafe(statement)).persistent(false).execute(&mut *connection).await?;
    }
    if from == 0 {
        let state = "INSERT INTO server_state (id, server, turn) VALUES (1, $1, 0)";
        let server = random_digits::<16>()?;
        sqlx::query(state).bind(server).execute(&mut *connection).await?;
    }
    let version = sqlx::query("UPDATE wattle_server SET version = $1").bind(SERVER_SCHEMA_VERSION);
    version.execute(&mut *connection).await?;
    Ok(())
}
