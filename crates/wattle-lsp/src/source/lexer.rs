//! Splitting a source file into tokens.

use super::Language;
use super::token::{Token, TokenKind};

/// The most characters between the quotes and the parentheses of a raw string: C++ allows 16. Rust allows more signs, which nobody writes.
const LONGEST_DELIMITER: usize = 16;

/// The tokens of a text. Every text has some: what is not closed ends with its line, or with the text.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let is_kotlin = language == Language::Kotlin;
    // A byte order mark is no part of the first word.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { bytes: text.as_bytes(), at, is_kotlin };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut is_first = true;
    while let Some(byte) = lexer.byte(0) {
        let start = lexer.at;
        let kind = match byte {
            b'\n' => {
                is_first = true;
                lexer.at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                lexer.at += 1;
                continue;
            }
            b'/' if lexer.byte(1) == Some(b'/') => {
                lexer.pass_line();
                continue;
            }
            b'#' if start == at && lexer.byte(1) == Some(b'!') => {
                lexer.pass_line();
                continue;
            }
            b'/' if lexer.byte(1) == Some(b'*') => {
                is_first |= lexer.pass_comment();
                continue;
            }
            b'"' => {
                lexer.pass_text();
                TokenKind::Text
            }
            // A lifetime of Rust has no second quote.
            b'\'' if language == Language::Native && !lexer.is_character() => {
                lexer.at += 1;
                TokenKind::Sign(byte)
            }
            b'\'' => {
                lexer.pass_quoted(b'\'');
                TokenKind::Text
            }
            b'`' if lexer.is_kotlin => {
                lexer.pass_quoted(b'`');
                TokenKind::Word
            }
            b'0'..=b'9' => {
                lexer.pass_number();
                TokenKind::Number
            }
            _ if is_word(byte) => {
                while lexer.byte(0).is_some_and(is_word) {
                    lexer.at += 1;
                }
                let word = lexer.bytes.get(start..lexer.at).unwrap_or_default();
                let is_raw = language == Language::Native && lexer.pass_raw_text(word);
                if is_raw { TokenKind::Text } else { TokenKind::Word }
            }
            _ => {
                lexer.at += 1;
                TokenKind::Sign(byte)
            }
        };
        tokens.push(Token { kind, start: start as u32, end: lexer.at as u32, is_first });
        is_first = false;
    }
    tokens
}

/// Whether a byte is one of an identifier; all letters outside of ASCII are.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    is_kotlin: bool,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn pass_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Kotlin's comments nest. Returns whether the comment goes over a line's end.
    fn pass_comment(&mut self) -> bool {
        let (mut depth, mut breaks) = (0_usize, false);
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'/', Some(b'*')) if depth == 0 || self.is_kotlin => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {
                    breaks |= byte == b'\n';
                    self.at += 1;
                }
            }
        }
        breaks
    }

    fn pass_number(&mut self) {
        while let Some(byte) = self.byte(0) {
            // `1..2` is a range, `1.0` a number, `1.max(2)` a call.
            let is_fraction =
                byte == b'.' && self.byte(1).is_some_and(|next| next.is_ascii_digit());
            if !is_word(byte) && !is_fraction {
                break;
            }
            self.at += 1;
        }
    }

    /// A quoted text on one line.
    fn pass_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => return,
                b'\\' if quote != b'`' => self.at += 1,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at = (self.at + 1).min(self.bytes.len());
        }
    }

    /// A string, with the code of Kotlin's templates in it, whose strings can have templates again.
    fn pass_text(&mut self) {
        // What encloses the place: a string on one line, a raw one, the braces of a template.
        let mut around = Vec::new();
        self.open_text(&mut around);
        while let Some(inside) = around.last().copied() {
            let Some(byte) = self.byte(0) else { return };
            match (inside, byte) {
                (Inside::Line, b'\n') => {
                    around.pop();
                }
                (Inside::Line, b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                (Inside::Block, b'\\') if !self.is_kotlin => {
                    self.at = (self.at + 2).min(self.bytes.len());
                }
                (Inside::Block, b'"') if self.has_three_quotes() => {
                    self.at += 3;
                    // More quotes are the last ones of the text.
                    while self.is_kotlin && self.byte(0) == Some(b'"') {
                        self.at += 1;
                    }
                    around.pop();
                }
                (Inside::Line | Inside::Block, b'$')
                    if self.is_kotlin && self.byte(1) == Some(b'{') =>
                {
                    self.at += 2;
                    around.push(Inside::Braces);
                }
                (Inside::Braces, b'{') => {
                    self.at += 1;
                    around.push(Inside::Braces);
                }
                (Inside::Line, b'"') | (Inside::Braces, b'}') => {
                    self.at += 1;
                    around.pop();
                }
                (Inside::Braces, b'"') => self.open_text(&mut around),
                (Inside::Braces, b'\'') => self.pass_quoted(b'\''),
                (Inside::Braces, b'/') if self.byte(1) == Some(b'*') => {
                    self.pass_comment();
                }
                (Inside::Braces, b'/') if self.byte(1) == Some(b'/') => self.pass_line(),
                _ => self.at += 1,
            }
        }
    }

    /// A raw string of C++ (`R"x(…)x"`) or Rust (`r#"…"#`) behind its prefix. False, and nothing is passed, if there is none.
    fn pass_raw_text(&mut self, prefix: &[u8]) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (opening, closing) = match prefix {
            b"R" | b"LR" | b"uR" | b"UR" | b"u8R" => {
                let Some(b'"') = rest.first() else { return false };
                let is_part = |byte: &u8| !byte.is_ascii_whitespace() && !b"()\\\"".contains(byte);
                let all = rest.iter().skip(1).take(LONGEST_DELIMITER + 1);
                let delimiter = all.take_while(|byte| is_part(byte)).count();
                if delimiter > LONGEST_DELIMITER || rest.get(delimiter + 1) != Some(&b'(') {
                    return false;
                }
                let delimiter = rest.get(1..=delimiter).unwrap_or_default();
                (delimiter.len() + 2, [&b")"[..], delimiter, b"\""].concat())
            }
            b"r" | b"br" | b"cr" => {
                let all = rest.iter().take(LONGEST_DELIMITER + 1);
                let signs = all.take_while(|byte| **byte == b'#').count();
                if signs > LONGEST_DELIMITER || rest.get(signs) != Some(&b'"') {
                    return false;
                }
                (signs + 1, [&b"\""[..], rest.get(..signs).unwrap_or_default()].concat())
            }
            _ => return false,
        };
        let inside = rest.get(opening..).unwrap_or_default();
        let end = memchr::memmem::find(inside, &closing).map(|end| end + closing.len());
        self.at += opening + end.unwrap_or(inside.len());
        true
    }

    fn is_character(&self) -> bool {
        self.byte(1) == Some(b'\\') || (2..6).any(|ahead| self.byte(ahead) == Some(b'\''))
    }

    fn has_three_quotes(&self) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"\"\"\""))
    }

    fn open_text(&mut self, around: &mut Vec<Inside>) {
        let is_block = self.has_three_quotes();
        self.at += if is_block { 3 } else { 1 };
        around.push(if is_block { Inside::Block } else { Inside::Line });
    }
}

#[derive(Clone, Copy)]
enum Inside {
    Line,
    Block,
    Braces,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, language: Language, expected: &[&str]) {
        let found = tokens(text, language);
        let texts: Vec<_> =
            found.iter().map(|it| &text[it.start as usize..it.end as usize]).collect();
        assert_eq!(texts, expected, "{text}");
    }

    #[test]
    fn comments_and_strings_are_passed_over() {
        use Language::{Java, Kotlin};
        check("a // b {\nc", Kotlin, &["a", "c"]);
        check("a /* /* } */ b */ c", Kotlin, &["a", "c"]);
        check("a /* /* } */ b", Java, &["a", "b"]);
        check(r#"x = "a\"}" + 'b'"#, Java, &["x", "=", r#""a\"}""#, "+", "'b'"]);
        check(r#"'\'' '"' "{""#, Java, &[r"'\''", r#"'"'"#, r#""{""#]);
        check("\"\"\"\n { \" }\n\"\"\" y", Kotlin, &["\"\"\"\n { \" }\n\"\"\"", "y"]);
        check("\"\"\"a\"\"\"\" y", Kotlin, &["\"\"\"a\"\"\"\"", "y"]);
        check(r#""${if (a) "}" else "${b}"}" z"#, Kotlin, &[r#""${if (a) "}" else "${b}"}""#, "z"]);
        check("\"\"\"\n \\\"\"\" }\n\"\"\" y", Java, &["\"\"\"\n \\\"\"\" }\n\"\"\"", "y"]);
        check(
            "fun `a { b`() 1.0 1..2",
            Kotlin,
            &["fun", "`a { b`", "(", ")", "1.0", "1", ".", ".", "2"],
        );
        check("\"open\nnext", Kotlin, &["\"open", "next"]);
        check("größe", Kotlin, &["größe"]);
    }

    #[test]
    fn raw_strings_of_native_code_end_where_they_say() {
        let check = |text: &str, expected: &[&str]| check(text, Language::Native, expected);
        check("R\"( { \" } )\" y", &["R\"( { \" } )\"", "y"]);
        check("u8R\"x(a)\" { )x\";", &["u8R\"x(a)\" { )x\"", ";"]);
        check(
            "R\"sql(\nselect \"{\"\n)sql\"; f()",
            &["R\"sql(\nselect \"{\"\n)sql\"", ";", "f", "(", ")"],
        );
        check("r#\"a \" { \"# y", &["r#\"a \" { \"#", "y"]);
        check("br\"\\\" y", &["br\"\\\"", "y"]);
        // Names that look like prefixes, and what does not end.
        check("R (\"a\") r#for r", &["R", "(", "\"a\"", ")", "r", "#", "for", "r"]);
        check("R\"a b(\" y", &["R", "\"a b(\"", "y"]);
        check("R\"(open\nnext", &["R\"(open\nnext"]);
    }

    proptest::proptest! {
        #[test]
        fn every_text_ends(text in "[aRr#\"'`${}/*\\\\\n é()]{0,60}") {
            for language in [Language::Kotlin, Language::Java, Language::Native] {
                let mut last = 0;
                for token in tokens(&text, language) {
                    proptest::prop_assert!(token.start >= last && token.end > token.start);
                    proptest::prop_assert!(token.end as usize <= text.len());
                    last = token.end;
                }
            }
        }
    }
}
