//! Text in columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
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

/// At most that many columns; where something has to go, it is the middle: names of classes differ at their
/// end, names of packages at their beginning.
pub fn fit_both_ends(text: &str, columns: usize) -> String {
    if width(text) <= columns || columns < 8 {
        return fit(text, columns);
    }
    let tail = columns / 3;
    let mut end = String::new();
    let mut used = 0;
    for c in text.chars().rev() {
        let wide = c.width().unwrap_or(0);
        if used + wide > tail {
            break;
        }
        used += wide;
        end.insert(0, c);
    }
    // Its `…` is the cut.
    format!("{}{end}", fit(text, columns - used))
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
    fn wide_characters_count_twice() {
        assert_eq!(width("電力"), 4);
        assert_eq!(fit("電力計測", 5), "電力…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("abcd", 0), "");
        assert_eq!(fit_both_ends("com.example.app.Main", 12), "com.exa…Main");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("abcdefghij", 4), ["abc…"]);
    }
}
