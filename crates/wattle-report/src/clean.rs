//! Text of others, fit to be looked at.

/// The text without control characters and without those that turn the direction of writing, which U+FFFD stands for: names come from
/// traces, and an escape sequence in one could rewrite the screen.
pub fn clean(text: &str) -> String {
    let hostile = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if hostile(c) { '\u{fffd}' } else { c }).collect()
}

/// Replaces control characters in all texts.
pub fn clean_texts(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => *text = clean(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(clean_texts),
        serde_json::Value::Object(map) => map.values_mut().for_each(clean_texts),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\nc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }
}
