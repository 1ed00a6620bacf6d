//! All methods that a source file declares.

use std::path::Path;

use super::member_collector::MemberCollector;
use super::token_cursor::TokenCursor;
use super::{Declaration, Language, java_members, kotlin_members, native_functions};

/// The largest text that is read, in bytes.
const LARGEST: usize = 4 << 20;

/// All methods that a source file declares, in order of their names' places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredMethods {
    /// The methods.
    pub all: Vec<Declaration>,
}

impl DeclaredMethods {
    /// The methods of a text; the file's name decides what Kotlin's functions outside of classes belong to. Never fails: of a text that is
    /// being typed it finds what can be read.
    pub fn new(text: &str, language: Language, path: &Path) -> Self {
        if text.len() > LARGEST {
            return Self::default();
        }
        let tokens = TokenCursor::new(text, language);
        let mut found = MemberCollector::new(&tokens);
        match language {
            Language::Kotlin => {
                let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                kotlin_members::collect(&mut found, stem);
            }
            Language::Java => java_members::collect(&mut found),
            Language::Native => {
                let is_rust = path.extension().is_some_and(|ending| ending == "rs");
                native_functions::collect(&mut found, is_rust);
            }
        }
        Self { all: found.finish(text) }
    }
}
