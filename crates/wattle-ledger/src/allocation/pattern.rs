//! Which names are meant.

/// A name, or a pattern of names with `*` for any text (`java.net.SocketInputStream.*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The texts between the stars.
    parts: Vec<String>,
}

impl NamePattern {
    /// From its text. Every text is a pattern.
    pub fn new(text: &str) -> Self {
        Self { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// Whether the whole name is meant.
    pub fn matches(&self, name: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.parts.first().is_some_and(|only| only == name);
        };
        let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            // The first place leaves the most for the rest.
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(NamePattern::new(pattern).matches(name), expected, "{pattern} on {name}");
    }

    #[test]
    fn stars_stand_for_any_text() {
        check("read", "read", true);
        check("read", "reads", false);
        check("", "", true);
        check("", "x", false);
        check("*", "", true);
        check("*", "anything", true);
        check("java.net.*", "java.net.Socket.read", true);
        check("java.net.*", "javax.net.Socket", false);
        check("*.read", "java.net.Socket.read", true);
        check("*Stream*read*", "SocketInputStream.read([B)", true);
        check("*Stream*read*", "SocketInputStream.write", false);
        // Prefix and suffix may not share a character.
        check("aba*aba", "aba", false);
        check("aba*aba", "ababa", false);
        check("aba*aba", "abaaba", true);
        check("a**b", "ab", true);
    }
}
