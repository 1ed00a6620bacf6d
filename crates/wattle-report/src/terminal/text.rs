//! Text of others, fit for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Without control characters and without those that turn the direction of writing: names come from traces,
/// and an escape sequence in one could rewrite the screen.
pub fn clean(text: &str) -> String {
    let hostile = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if hostile(c) { '\u{fffd}' } else { c }).collect()
}

/// At most that many columns; `…` where something was cut.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut fitted = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        fitted.push(c);
    }
    if columns > 0 {
        fitted.push('…');
    }
    fitted
}

/// Broken at spaces into lines of at most that many columns.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word = fit(word, columns);
        let line = lines
            .last_mut()
            .filter(|line| line.is_empty() || width(line) + 1 + width(&word) <= columns);
        match line {
            Some(line) => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(&word);
            }
            None => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\nc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("電力"), 4);
        assert_eq!(fit("電力計測", 5), "電力…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("abcd", 0), "");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("abcdefghij", 4), ["abc…"]);
    }
}
