//! Differences of the two databases.

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// One file.
    Sqlite,
    /// A server.
    Postgres,
}

impl Dialect {
    /// Statements of a migration, for this database. `{bytes}` is the type of binary values, `{clustered}` keeps rows in the order
    /// of their key, `{identity}` is a key that the database gives.
    pub fn statements(self, text: &str) -> Vec<String> {
        let (bytes, clustered, identity) = match self {
            Self::Sqlite => ("BLOB", "WITHOUT ROWID", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            Self::Postgres => ("BYTEA", "", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        };
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace("{bytes}", bytes).replace("{clustered}", clustered);
        let text = text.replace("{identity}", identity);
        let statements = text.split(';').map(str::trim).filter(|it| !it.is_empty());
        statements.map(str::to_owned).collect()
    }

    /// A query for the names of the tables that exist, as `name`.
    pub const fn tables(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
            Self::Postgres => {
                "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = current_schema()"
            }
        }
    }
}
