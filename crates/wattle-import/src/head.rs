//! The first bytes of a file.

/// Number of bytes of a file that are examined to recognise it.
pub const HEAD: usize = 4096;

/// The kind of content that the first bytes of a file are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that text does not have, or nothing but spaces.
    Binary,
    /// Text without a form that is known.
    Text,
    /// JSON without keys that are known.
    Json,
    /// A text that no importer reads; the name of its form.
    Foreign(&'static str),
}

/// The first bytes of a file, at most [`HEAD`] of them.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Kind of content, apart from any importer's format.
    pub content: Content,
}

impl Head<'_> {
    /// Whether the bytes are text without a known form.
    pub fn is_text(&self) -> bool {
        self.content == Content::Text
    }

    /// Whether the bytes are text without a known form, or no text: for texts in which names may hold any byte.
    pub fn is_text_or_binary(&self) -> bool {
        matches!(self.content, Content::Text | Content::Binary)
    }

    /// Whether only bytes that texts have are among them.
    pub fn has_text_bytes(&self) -> bool {
        self.bytes.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..))
    }
}
