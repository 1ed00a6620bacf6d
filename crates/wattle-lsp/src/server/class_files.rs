//! Files by the classes that they declare, where these have other names than the file.

use std::hash::{Hash as _, Hasher as _};
use std::path::Path;

use rustc_hash::{FxHashMap, FxHasher};
use wattle_gate::format::SourcePlaces;

use super::project_files::read_small;

/// The most bytes of sources that are looked through.
const MOST_BYTES: usize = 256 << 20;
/// Words before the name of a class; of a file's functions in Kotlin, before the name of the class that they become.
const BEFORE_NAMES: [&str; 6] = ["class", "interface", "object", "record", "enum", "JvmName"];

/// Files that may declare a class of a name other than theirs. A candidate may only mention it: its text has to be read.
#[derive(Debug, Default)]
pub(super) struct ClassFiles {
    /// Places among the project's files, by the hash of the class's own name: names themselves would take more memory than they are worth.
    candidates: FxHashMap<u64, Vec<u32>>,
}

impl ClassFiles {
    /// Looks through the sources of a project.
    pub fn new(root: &Path, places: &SourcePlaces) -> Self {
        let mut found = Self::default();
        let mut bytes = 0;
        for (number, file) in (0..).zip(places.files()) {
            if bytes > MOST_BYTES {
                break;
            }
            let Some(text) = read_small(&root.join(file)) else { continue };
            bytes += text.len();
            let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
            for name in names(&text).filter(|name| Some(*name) != stem) {
                let files = found.candidates.entry(hash(name)).or_default();
                if files.last() != Some(&number) {
                    files.push(number);
                }
            }
        }
        found
    }

    /// Places among the project's files of those that may declare a class.
    pub fn candidates(&self, simple: &str) -> &[u32] {
        self.candidates.get(&hash(simple)).map_or(&[], Vec::as_slice)
    }
}

/// The words behind words that come before names of classes, in comments and strings, too.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut is_next = false;
    text.split(move |letter| !is_part(letter)).filter(|word| !word.is_empty()).filter(move |word| {
        let is_name = is_next;
        is_next = BEFORE_NAMES.contains(word);
        is_name && !is_next
    })
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_behind_their_words() {
        let text = "@file:JvmName(\"Feeds\")\ndata class Item<T>(val x: T)\nenum class Kind { A }\nfun interface Action\nval classy = 1";
        assert_eq!(names(text).collect::<Vec<_>>(), ["Feeds", "Item", "Kind", "Action"]);
    }
}
