//! Pieces of text in answers.

use wattle_report::grouped;
use wattle_units::Si;

/// The size of a text in characters of ASCII that take as many tokens.
pub fn weight(text: &str) -> usize {
    text.chars().map(letter_weight).sum()
}

const fn letter_weight(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { 4 }
}

/// A text of at most that [`weight`], without control characters and line breaks; the middle is left out of longer ones.
pub fn clip(text: &str, most: usize) -> String {
    let clean = |letter: char| if letter.is_control() { ' ' } else { letter };
    if weight(text) <= most {
        return text.chars().map(clean).collect();
    }
    let room = most.saturating_sub(letter_weight('…'));
    let fitting = |letters: &mut dyn Iterator<Item = char>, room: usize| -> String {
        let mut used = 0;
        let fits = |letter: &char| {
            used += letter_weight(*letter);
            used <= room
        };
        letters.take_while(fits).map(clean).collect()
    };
    let first = fitting(&mut text.chars(), room / 3);
    let last = fitting(&mut text.chars().rev(), room - room / 3);
    let last: String = last.chars().rev().collect();
    format!("{first}…{last}")
}

/// Whether a name is the one that is asked for, also where answers show it cut and without control characters.
pub fn is_named(name: &str, asked: &str) -> bool {
    if name == asked {
        return true;
    }
    let shown = clip(name, usize::MAX);
    if shown == asked {
        return true;
    }
    let Some((first, last)) = asked.split_once('…') else { return false };
    let rest = shown.strip_prefix(first);
    !(first.is_empty() && last.is_empty()) && rest.is_some_and(|rest| rest.ends_with(last))
}

/// As many whole sentences, or parts between semicolons, as fit; the last one that does not fit at all is cut at its end.
pub fn clip_sentences(text: &str, most: usize) -> String {
    let text = clip(text, usize::MAX);
    if weight(&text) <= most {
        return text;
    }
    let room = most.saturating_sub(2 + letter_weight('…'));
    let (mut used, mut fitting, mut end, mut before) = (0, 0, 0, ' ');
    for (at, letter) in text.char_indices() {
        used += letter_weight(letter);
        if used > room {
            break;
        }
        if letter == ' ' && matches!(before, '.' | ';') {
            end = at;
        }
        fitting = at + letter.len_utf8();
        before = letter;
    }
    // A first sentence without end: up to its last whole word.
    let cut = if end > 0 { end } else { text[..fitting].rfind(' ').unwrap_or(fitting) };
    format!("{} …", text[..cut].trim_end_matches([' ', ';']))
}

/// `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `594 ms`, `90.0 s`, `43 min 11 s`, `12 h 3 min`.
pub fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown time".to_owned();
    }
    let whole = seconds.round() as i64;
    match whole {
        _ if seconds.abs() < 0.999_5 => Si { value: seconds, unit: "s" }.to_string(),
        ..10 => format!("{seconds:.2} s"),
        10..600 => format!("{seconds:.1} s"),
        600..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// From one time to another: `10.02 s to 20.04 s`, with milliseconds and less where they differ by little.
pub fn period(from: f64, to: f64) -> String {
    let decimals = match to - from {
        ..0.000_1 => 6,
        ..0.1 => 4,
        ..1.0 => 3,
        _ => 2,
    };
    format!("{from:.decimals$} s to {to:.decimals$} s")
}

/// `1 call`, `1,234 calls`.
pub fn counted(count: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(clip("abc\n", 10), "abc ");
        assert_eq!(clip("abcdefghijklmno", 13), "abc…jklmno");
        assert_eq!(clip("äöüäöüäöü", 16), "ä…öü");
        assert_eq!(clip("abc", 0), "…");
    }

    #[test]
    fn names_are_found_as_answers_show_them() {
        assert!(is_named("a.B.c", "a.B.c") && is_named("two\nlines", "two lines"));
        assert!(is_named("abcdefghijklmno", &clip("abcdefghijklmno", 13)));
        assert!(!is_named("abcdefghijklmno", "abc…x") && !is_named("abc", "…"));
        assert!(!is_named("aba", "ab…ba"), "the parts do not overlap");
    }

    #[test]
    fn sentences_are_whole() {
        let text = "First one. Second, longer one; third part. The last.";
        assert_eq!(clip_sentences(text, 100), text);
        assert_eq!(clip_sentences(text, 40), "First one. Second, longer one …");
        assert_eq!(clip_sentences(text, 20), "First one. …");
        assert_eq!(clip_sentences("one word after another", 15), "one word …");
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(seconds(0.25), "250 ms");
        assert_eq!(seconds(2.0), "2.00 s");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(seconds(90.0), "90.0 s");
        assert_eq!(seconds(43_260.0), "12 h 1 min");
        assert_eq!(seconds(f64::NAN), "unknown time");
        assert_eq!(counted(1, "call"), "1 call");
        assert_eq!(counted(1_234_567, "call"), "1,234,567 calls");
        assert_eq!(percent(0.3141), "31.4 %");
    }
}
