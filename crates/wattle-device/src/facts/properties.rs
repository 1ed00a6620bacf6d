//! System properties.

use std::collections::BTreeMap;

/// The output of `getprop`: `[name]: [value]`, where a value may span several lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties(BTreeMap<String, String>);

impl Properties {
    pub(crate) fn parse(text: &str) -> Self {
        let mut all = BTreeMap::new();
        let mut open: Option<(String, String)> = None;
        for line in text.lines().map(|line| line.trim_end_matches('\r')) {
            let (name, value) = match open.take() {
                Some((name, value)) => (name, value + "\n" + line),
                None => match line.strip_prefix('[').and_then(|line| line.split_once("]: [")) {
                    Some((name, value)) => (name.to_owned(), value.to_owned()),
                    None => continue,
                },
            };
            match value.strip_suffix(']') {
                Some(value) => {
                    all.insert(name, value.to_owned());
                }
                None => open = Some((name, value)),
            }
        }
        Self(all)
    }

    /// The first of these that says anything.
    pub(crate) fn first(&self, names: &[&str]) -> Option<String> {
        let value = |name: &&str| self.0.get(*name).filter(|value| !value.is_empty());
        names.iter().find_map(value).cloned()
    }

    /// Whether one of these is `1`.
    pub(crate) fn any_set(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.0.get(*name).is_some_and(|value| value == "1"))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
