//! The meaning of codes of databases.

/// Why a database failed, where the cause is not the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFault {
    /// The disk is full: `SQLITE_FULL`, PostgreSQL's `disk_full`.
    NoRoom,
    /// The file is damaged or no database: `SQLITE_CORRUPT`, `SQLITE_NOTADB`.
    Damaged,
}

impl DatabaseFault {
    /// The fault behind an error, if it is one of these.
    pub fn of(error: &sqlx::Error) -> Option<Self> {
        Self::of_code(&error.as_database_error()?.code()?)
    }

    /// PostgreSQL's codes have five characters (postgresql.org/docs/current/errcodes-appendix.html). SQLite's are numbers of at most four
    /// digits; extended ones have the primary one in their low byte (sqlite.org/rescode.html).
    fn of_code(code: &str) -> Option<Self> {
        if code.len() == 5 {
            return (code == "53100").then_some(Self::NoRoom);
        }
        match code.parse::<u32>().ok()? & 0xff {
            13 => Some(Self::NoRoom),
            11 | 26 => Some(Self::Damaged),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DatabaseFault::{self, Damaged, NoRoom};

    #[test]
    fn codes_of_both_databases_are_known() {
        for (code, expected) in [
            ("13", Some(NoRoom)),
            ("53100", Some(NoRoom)),
            ("11", Some(Damaged)),
            ("523", Some(Damaged)),
            ("26", Some(Damaged)),
            ("5", None),
            ("53200", None),
            // Its low byte is 13.
            ("42509", None),
            ("", None),
        ] {
            assert_eq!(DatabaseFault::of_code(code), expected, "{code}");
        }
    }
}
