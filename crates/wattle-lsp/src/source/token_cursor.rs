//! The tokens of a file, with what is asked of them.

use super::Language;
use super::bracket_pairs::bracket_pairs;
use super::lexer::tokens;
use super::token::{Token, TokenKind};

/// The most tokens of type parameters or arguments: what goes on for longer is a comparison.
const MOST_GENERICS: usize = 400;

/// The tokens of a file. Indices may lie behind the last one: nothing is there.
pub(super) struct TokenCursor<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    closing: Vec<u32>,
}

impl<'t> TokenCursor<'t> {
    pub fn new(text: &'t str, language: Language) -> Self {
        let tokens = tokens(text, language);
        let closing = bracket_pairs(&tokens);
        Self { text, tokens, closing }
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    /// The text of a token; empty behind the last one.
    pub fn text(&self, at: usize) -> &'t str {
        let token = self.tokens.get(at);
        token.and_then(|it| self.text.get(it.start as usize..it.end as usize)).unwrap_or_default()
    }

    /// The word at a place, without backticks.
    pub fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).filter(|it| it.kind == TokenKind::Word)?;
        Some(self.text(at).trim_matches('`'))
    }

    pub fn is_word(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|it| it.kind == TokenKind::Word) && self.text(at) == word
    }

    pub fn is_sign(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|it| it.kind == TokenKind::Sign(sign))
    }

    /// Whether there is a sign, whichever.
    pub fn is_any_sign(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|it| matches!(it.kind, TokenKind::Sign(_)))
    }

    pub fn is_first(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|it| it.is_first)
    }

    /// The closing bracket of the one at a place, or the end.
    pub fn closing(&self, at: usize, end: usize) -> usize {
        self.closing.get(at).map_or(end, |closing| (*closing as usize).min(end))
    }

    /// The place behind a token, or behind the brackets that it opens.
    pub fn after(&self, at: usize, end: usize) -> usize {
        let opens = [b'(', b'[', b'{'].iter().any(|sign| self.is_sign(at, *sign));
        if opens { (self.closing(at, end) + 1).min(end) } else { (at + 1).min(end) }
    }

    /// The place behind type parameters or arguments that begin here; the place itself where there are none.
    pub fn after_generics(&self, at: usize, end: usize) -> usize {
        if !self.is_sign(at, b'<') {
            return at;
        }
        let (mut depth, mut next) = (0_usize, at);
        let end = end.min(at + MOST_GENERICS);
        while next < end {
            if self.is_sign(next, b'<') {
                depth += 1;
            } else if self.is_sign(next, b'>') {
                // `->` closes nothing.
                let is_arrow = next > 0 && self.is_sign(next - 1, b'-');
                if !is_arrow {
                    depth -= 1;
                    if depth == 0 {
                        return next + 1;
                    }
                }
            } else if self.is_sign(next, b';') || self.is_sign(next, b'{') {
                break;
            }
            next = self.after(next, end);
        }
        at + 1
    }

    /// The place behind a part of a type: type arguments, an annotation, brackets, or one token.
    pub fn after_part_of_type(&self, at: usize, end: usize) -> usize {
        if self.is_sign(at, b'<') {
            self.after_generics(at, end)
        } else if self.is_sign(at, b'@') {
            self.after_annotation(at, end)
        } else {
            self.after(at, end)
        }
    }

    /// The place behind an annotation that begins here: `@Test`, `@field:Inject`, `@Size(max = 3)`, `@[A B]`.
    pub fn after_annotation(&self, at: usize, end: usize) -> usize {
        let mut next = at + 1;
        if self.is_sign(next, b'[') {
            return self.after(next, end);
        }
        loop {
            if self.word(next).is_none() {
                return next.min(end);
            }
            next += 1;
            let is_joined = self.is_sign(next, b'.') || self.is_sign(next, b':');
            if is_joined && self.word(next + 1).is_some() {
                next += 1;
            } else if is_joined && self.is_sign(next + 1, b'[') {
                return self.after(next + 1, end);
            } else {
                break;
            }
        }
        next = self.after_generics(next, end);
        // Parentheses on another line are the next declaration's.
        if self.is_sign(next, b'(') && !self.is_first(next) {
            self.after(next, end)
        } else {
            next.min(end)
        }
    }

    /// The first string behind a place, without its quotes, up to an end.
    pub fn first_text(&self, from: usize, end: usize) -> Option<&'t str> {
        let found =
            (from..end).find(|at| self.token(*at).is_some_and(|it| it.kind == TokenKind::Text))?;
        Some(self.text(found).trim_matches('"'))
    }

    /// The places between the commas of brackets, as ranges of tokens.
    pub fn between_commas(&self, open: usize, end: usize) -> Vec<std::ops::Range<usize>> {
        let close = self.closing(open, end);
        let (mut parts, mut start, mut at) = (Vec::new(), open + 1, open + 1);
        while at < close {
            if self.is_sign(at, b',') {
                parts.push(start..at);
                start = at + 1;
                at += 1;
            } else if self.is_sign(at, b'<') {
                at = self.after_generics(at, close);
            } else {
                at = self.after(at, close);
            }
        }
        if start < close {
            parts.push(start..close);
        }
        parts
    }
}
