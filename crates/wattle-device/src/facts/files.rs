//! Many small files in one answer: a line `< path`, then the file's own lines.

use std::collections::BTreeMap;

/// Files by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files<'t>(BTreeMap<&'t str, &'t str>);

impl<'t> Files<'t> {
    /// A command on one line that prints the files of these patterns; those that do not exist are passed over, those that
    /// cannot be read are empty.
    pub(crate) fn command(patterns: &[&str]) -> String {
        // The last test of a loop would be its exit status.
        format!(
            "for f in {}; do if [ -e \"$f\" ]; then echo \"< $f\"; cat \"$f\" 2>/dev/null; fi; done; true",
            patterns.join(" ")
        )
    }

    pub(crate) fn parse(text: &'t str) -> Self {
        let mut files = BTreeMap::new();
        let mut rest = text;
        while let Some(start) = rest.strip_prefix("< ") {
            let (path, after) = start.split_once('\n').unwrap_or((start, ""));
            // The content ends before the next line of ours.
            let end = if after.starts_with("< ") {
                0
            } else {
                after.find("\n< ").map_or(after.len(), |at| at.saturating_add(1))
            };
            let (content, next) = after.split_at_checked(end).unwrap_or((after, ""));
            files.insert(path.trim(), content);
            rest = next;
        }
        Self(files)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&'t str> {
        self.0.get(path).copied()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.0.iter().map(|(path, content)| (*path, *content))
    }
}
