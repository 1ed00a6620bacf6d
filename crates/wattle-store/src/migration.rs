//! The versions of the tables.

use sqlx::{Any, AssertSqlSafe, Row as _, Transaction};

use crate::dialect::Dialect;

/// The texts, by version from 1 on. Those of released versions are never changed.
const MIGRATIONS: [&str; 2] =
    [include_str!("../migrations/1-runs.sql"), include_str!("../migrations/2-kept-once.sql")];

/// The version of the tables that this program knows.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The state of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TablesState {
    /// It has no tables.
    Empty,
    /// It has tables of something else.
    Foreign,
    /// It has ours, of this version.
    Version(i64),
}

/// The state of a database.
pub(crate) async fn state(
    transaction: &mut Transaction<'_, Any>,
    dialect: Dialect,
) -> sqlx::Result<TablesState> {
    let tables = sqlx::query(dialect.tables()).fetch_all(&mut **transaction).await?;
    let mut has_ours = false;
    for table in &tables {
        has_ours |= table.try_get::<String, _>("name")? == "wattle_history";
    }
    if !has_ours {
        return Ok(if tables.is_empty() { TablesState::Empty } else { TablesState::Foreign });
    }
    let version = sqlx::query("SELECT version FROM wattle_history");
    Ok(TablesState::Version(version.fetch_one(&mut **transaction).await?.try_get(0)?))
}

/// Changes the tables of `from`, 0 for an empty database, into those of [`SCHEMA_VERSION`].
///
/// In the transaction of whoever asked for the state: the library's own migrator takes no lock on SQLite, so that two programs
/// that make a history at once would both make it.
pub(crate) async fn migrate(
    transaction: &mut Transaction<'_, Any>,
    dialect: Dialect,
    from: i64,
) -> sqlx::Result<()> {
    if from == 0 {
        let table = "CREATE TABLE wattle_history (version BIGINT NOT NULL)";
        sqlx::query(table).execute(&mut **transaction).await?;
        let row = "INSERT INTO wattle_history (version) VALUES (0)";
        sqlx::query(row).execute(&mut **transaction).await?;
    }
    let done = usize::try_from(from).unwrap_or_default();
    for statement in MIGRATIONS.iter().skip(done).flat_map(|text| dialect.statements(text)) {
        sqlx::query(AssertSqlSafe(statement)).persistent(false).execute(&mut **transaction).await?;
    }
    let version = sqlx::query("UPDATE wattle_history SET version = $1").bind(SCHEMA_VERSION);
    version.execute(&mut **transaction).await?;
    Ok(())
}
