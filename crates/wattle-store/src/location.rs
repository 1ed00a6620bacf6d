//! The place of a history.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The place of a history.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// A folder with a SQLite database and ledgers beside it.
    Folder(PathBuf),
    /// A PostgreSQL database, by its URL, which may contain a password.
    Postgres(String),
}

/// Why a text names no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// Nothing.
    #[error(
        "expected a folder, or a database such as postgres://user@host/database; found nothing"
    )]
    Empty,
    /// A URL of another kind.
    #[error(
        "{scheme}: is no database that a history can be kept in; expected a folder, or postgres://user@host/database"
    )]
    Scheme {
        /// Its beginning.
        scheme: String,
    },
}

/// The beginnings of URLs of PostgreSQL.
const POSTGRES: [&str; 2] = ["postgres", "postgresql"];

/// The folder of ledgers beside the database.
pub(crate) const LEDGERS: &str = "ledgers";

impl StoreLocation {
    /// The file of the SQLite database in a folder.
    pub fn database_file(folder: &Path) -> PathBuf {
        folder.join("history.db")
    }

    /// The folder of ledgers beside it.
    pub(crate) fn ledgers_folder(folder: &Path) -> PathBuf {
        folder.join(LEDGERS)
    }

    /// Whether nothing has been kept there yet, as far as that can be said without opening it.
    pub fn is_new(&self) -> bool {
        match self {
            // What cannot be looked at may be there: opening it says why it cannot.
            Self::Folder(folder) => {
                let looked = std::fs::metadata(Self::database_file(folder));
                looked.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
            }
            Self::Postgres(_) => false,
        }
    }
}

impl FromStr for StoreLocation {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        if text.is_empty() {
            return Err(LocationError::Empty);
        }
        match text.split_once("://") {
            Some((scheme, _)) if POSTGRES.contains(&scheme) => Ok(Self::Postgres(text.to_owned())),
            Some((scheme, _)) => Err(LocationError::Scheme { scheme: scheme.to_owned() }),
            None => Ok(Self::Folder(PathBuf::from(text))),
        }
    }
}

/// The place without a password.
impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

/// As [`Display`](fmt::Display), so that no log has a password.
impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    // Parameters can have a password, too.
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, format!("/{path}")),
        None => (rest, String::new()),
    };
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(name, _)| name);
            format!("{user}@{host}")
        }
        None => authority.to_owned(),
    };
    format!("{scheme}://{authority}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_folders_or_databases() {
        let postgres = "postgres://team:secret@db.example/energy?password=secret";
        let location: StoreLocation = postgres.parse().expect("a database");
        assert_eq!(location, StoreLocation::Postgres(postgres.to_owned()));
        assert_eq!(location.to_string(), "postgres://team@db.example/energy");
        assert_eq!(format!("{location:?}"), "postgres://team@db.example/energy");
        assert_eq!("a/b".parse(), Ok(StoreLocation::Folder("a/b".into())));
        assert_eq!("".parse::<StoreLocation>(), Err(LocationError::Empty));
        let mysql = "mysql://host/x".parse::<StoreLocation>().expect_err("not supported");
        assert!(mysql.to_string().starts_with("mysql: is no database"), "{mysql}");
    }
}
