//! Patterns of names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name in which `*` stands for any text, as in `com.example.feed.*`. Letters count as they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamePattern(String);

impl NamePattern {
    /// A pattern of this text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether a name is one of those meant.
    pub fn accepts(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
        rest.ends_with(last)
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::NamePattern;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(NamePattern::new(pattern).accepts(name), expected, "{pattern} {name}");
    }

    #[test]
    fn stars_stand_for_any_text() {
        check("com.example.Feed.load", "com.example.Feed.load", true);
        check("com.example.Feed.load", "com.example.Feed.loadMore", false);
        check("com.example.*", "com.example.Feed.load", true);
        check("*.load", "com.example.Feed.load", true);
        check("com.*.Feed.*", "com.example.Feed.load", true);
        check("com.*.Feed.*", "com.example.Store.load", false);
        check("*", "", true);
        check("a*a", "a", false);
        check("a**b", "ab", true);
        check("", "x", false);
    }
}
