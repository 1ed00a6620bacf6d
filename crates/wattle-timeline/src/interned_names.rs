//! Interned strings.

use rustc_hash::FxHashMap;

use crate::NameId;

/// All strings of a timeline, each once. Lossy text from traces is stored with replacement
/// characters; identity is by the stored text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    /// By bytes, so that a known text need not be checked again.
    index: FxHashMap<Box<[u8]>, NameId>,
}

impl Names {
    /// The id of the text, interning it if it is new.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.index.get(text.as_bytes()) {
            return *id;
        }
        let id = NameId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.index.insert(text.as_bytes().into(), id);
        id
    }

    /// The id of text that may not be UTF-8; what is not becomes replacement characters.
    pub fn intern_bytes(&mut self, text: &[u8]) -> NameId {
        if let Some(id) = self.index.get(text) {
            return *id;
        }
        match std::str::from_utf8(text) {
            Ok(text) => self.intern(text),
            Err(_) => self.intern(&String::from_utf8_lossy(text)),
        }
    }

    /// The id of the text if it is known.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.index.get(text.as_bytes()).copied()
    }

    /// The text. An id of another table gives the empty string or another text.
    pub fn get(&self, id: NameId) -> &str {
        self.texts.get(id.index()).map_or("", |text| text)
    }

    /// All texts, in the order of their ids.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
