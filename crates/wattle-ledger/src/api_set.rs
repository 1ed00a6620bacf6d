//! Which calls use which hardware: sets of low-level APIs, as data.

use std::sync::LazyLock;

use serde::Deserialize;
use wattle_power::Component;

use crate::LedgerError;
use crate::allocation::NamePattern;

const DATA: &str = include_str!("../data/low-level-apis.toml");

/// The value of `format` in a file of API sets.
pub const API_SETS_FORMAT: &str = "wattle-low-level-apis/1";

static BUILT_IN: LazyLock<ApiSets> =
    LazyLock::new(|| ApiSets::parse("low-level-apis.toml", DATA).unwrap_or_default());

/// Sets of calls that use the same hardware in the same way.
#[derive(Clone, Debug, Default)]
pub struct ApiSets {
    sets: Vec<ApiSet>,
}

/// One set.
#[derive(Clone, Debug)]
pub struct ApiSet {
    /// Its name (`java.net`).
    pub name: String,
    /// The component that it uses.
    pub components: Vec<Component>,
    /// The way in which it is used.
    pub uses: ApiUse,
}

/// The way in which calls use hardware.
#[derive(Clone, Debug)]
pub enum ApiUse {
    /// They move data: hardware works while they run.
    Transfer {
        /// The calls.
        calls: Vec<NamePattern>,
    },
    /// They switch hardware on, and it works until another call switches it off.
    Session {
        /// The calls that begin it. One that is also among the others begins and ends in turns.
        start: Vec<NamePattern>,
        /// The calls that end it.
        stop: Vec<NamePattern>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    #[serde(default)]
    set: Vec<FileSet>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum FileSet {
    Transfer { name: String, components: Vec<Component>, calls: Vec<String> },
    Session { name: String, components: Vec<Component>, start: Vec<String>, stop: Vec<String> },
}

impl ApiSets {
    /// The sets that come with Wattle: sockets, HTTP libraries, files, databases, location, camera, sensors ….
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// From the text of a file; `name` is for messages. A set with the name of one before it replaces that one.
    pub fn parse(name: &str, text: &str) -> Result<Self, LedgerError> {
        let wrong = |reason: String| LedgerError::ApiSets { name: name.to_owned(), reason };
        let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.format != API_SETS_FORMAT {
            let reason = format!("expected format = {API_SETS_FORMAT:?}, found {:?}", file.format);
            return Err(wrong(reason));
        }
        let mut found = Self::default();
        found.add(Self { sets: file.set.into_iter().map(ApiSet::from).collect() });
        Ok(found)
    }

    /// Adds sets; they replace those of the same name.
    pub fn add(&mut self, other: Self) {
        for set in other.sets {
            self.sets.retain(|known| known.name != set.name);
            self.sets.push(set);
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &ApiSet> {
        self.sets.iter()
    }

    /// The names of calls that move data through a component.
    pub fn transfers(&self, component: &Component) -> Vec<NamePattern> {
        let of = self.sets.iter().filter(|set| set.components.contains(component));
        of.filter_map(|set| match &set.uses {
            ApiUse::Transfer { calls } => Some(calls.iter().cloned()),
            ApiUse::Session { .. } => None,
        })
        .flatten()
        .collect()
    }

    /// The names of calls that switch a component on, and those that switch it off, by set.
    pub(crate) fn sessions(
        &self,
        component: &Component,
    ) -> impl Iterator<Item = (&[NamePattern], &[NamePattern])> {
        let of = self.sets.iter().filter(move |set| set.components.contains(component));
        of.filter_map(|set| match &set.uses {
            ApiUse::Session { start, stop } => Some((start.as_slice(), stop.as_slice())),
            ApiUse::Transfer { .. } => None,
        })
    }
}

impl From<FileSet> for ApiSet {
    fn from(set: FileSet) -> Self {
        let patterns =
            |texts: Vec<String>| texts.iter().map(|text| NamePattern::new(text)).collect();
        match set {
            FileSet::Transfer { name, components, calls } => {
                Self { name, components, uses: ApiUse::Transfer { calls: patterns(calls) } }
            }
            FileSet::Session { name, components, start, stop } => {
                let uses = ApiUse::Session { start: patterns(start), stop: patterns(stop) };
                Self { name, components, uses }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_sets_are_read() {
        let sets = ApiSets::parse("low-level-apis.toml", DATA).unwrap();
        assert_eq!(sets.iter().count(), DATA.lines().filter(|line| *line == "[[set]]").count());
        let moves = |component: Component, call: &str| {
            sets.transfers(&component).iter().any(|pattern| pattern.matches(call))
        };
        assert!(moves(Component::Wifi, "java.net.SocketInputStream.read"));
        assert!(moves(Component::Cellular, "okio.RealBufferedSource.read"));
        assert!(moves(Component::Storage, "android.database.sqlite.SQLiteDatabase.query"));
        assert!(!moves(Component::Storage, "java.net.SocketInputStream.read"));
        assert!(!moves(Component::Gnss, "java.net.SocketInputStream.read"));
        for component in [Component::Gnss, Component::Camera, Component::Sensors] {
            assert!(sets.sessions(&component).next().is_some(), "{component}");
        }
    }

    #[test]
    fn a_set_of_the_same_name_replaces() {
        let mut sets = ApiSets::built_in().clone();
        let before = sets.iter().count();
        let own = "format = 'wattle-low-level-apis/1'
            [[set]]
            name = 'java.net'
            kind = 'transfer'
            components = ['wifi']
            calls = ['com.example.Net.*']";
        sets.add(ApiSets::parse("own.toml", own).unwrap());
        assert_eq!(sets.iter().count(), before);
        let calls = sets.transfers(&Component::Wifi);
        assert!(calls.iter().any(|call| call.matches("com.example.Net.get")));
        assert!(!calls.iter().any(|call| call.matches("java.net.Socket.connect")));
    }

    #[track_caller]
    fn check_wrong(text: &str, part: &str) {
        let error = ApiSets::parse("own.toml", text).unwrap_err().to_string();
        assert!(error.contains("own.toml") && error.contains(part), "{error}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        check_wrong("format = 'other/1'", "wattle-low-level-apis/1");
        check_wrong("format = 'wattle-low-level-apis/1'\n[[set]]\nname = 'a'", "kind");
        check_wrong("nothing", "expected");
    }
}
