//! Lines of summaries.

use wattle_report::{clean, grouped};

/// Appends a line with names that come from files: none of them may move the cursor, turn the direction of writing or begin another line.
pub fn push(text: &mut String, line: &str) {
    text.push_str(&clean(line));
    text.push('\n');
}

/// A number with its noun: `1 class`, `2,291 classes`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_line() {
        let mut text = String::new();
        push(&mut text, "a\x1b[2Jb\nc\u{202e}d");
        assert_eq!(text, "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n");
    }

    #[test]
    fn a_noun_has_the_number_of_its_count() {
        let cases =
            [(0, "0 classes"), (1, "1 class"), (2, "2 classes"), (1_234_567, "1,234,567 classes")];
        for (number, expected) in cases {
            assert_eq!(counted(number, "class", "classes"), expected);
        }
    }
}
