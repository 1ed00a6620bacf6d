//! Differences of the two databases.

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// One file.
    Sqlite,
    /// A server.
    Postgres,
}

impl Dialect {
    /// Statements of a migration, for this database.
    pub fn statements(self, text: &str) -> Vec<String> {
        let (bytes, clustered) = match self {
            Self::Sqlite => ("BLOB", "WITHOUT ROWID"),
            Self::Postgres => ("BYTEA", ""),
        };
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace("{bytes}", bytes).replace("{clustered}", clustered);
        let statements = text.split(';').map(str::trim).filter(|it| !it.is_empty());
        statements.map(str::to_owned).collect()
    }

    /// The names of the tables that are there.
    pub const fn tables(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
            Self::Postgres => {
                "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = current_schema()"
            }
        }
    }
}
