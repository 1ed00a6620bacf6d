//! The words and signs of a source file, without comments and blanks.

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword; in backticks, too.
    Word,
    /// A number.
    Number,
    /// A string or a character, with its quotes.
    Text,
    /// Any other character: its byte, or 0 for one outside of ASCII.
    Sign(u8),
}

/// A token of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
    /// Whether it is the first of its line.
    pub is_first: bool,
}
