//! The variables of the process, as a value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Environment variables: those of this process, or a test's own.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Those that this process was started with.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// A variable's text; `None` if it is unset or empty, or no Unicode.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.variables.get(&OsString::from(name))?.to_str().filter(|text| !text.is_empty())
    }

    /// A variable as a path; `None` if it is unset or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.variables.get(&OsString::from(name))?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// The folders of `PATH`.
    pub(super) fn search_path(&self) -> Vec<PathBuf> {
        self.path("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect())
    }

    /// The user's folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { variables: variables.collect() }
    }
}
