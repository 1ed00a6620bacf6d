//! Reasons of readers of requests, without the names of types.

/// Names of types, and what a client calls them.
const WORDS: [(&str, &str); 13] = [
    ("i64", "a whole number"),
    ("u64", "a whole number from 0"),
    ("u32", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("sequence", "a list"),
    ("a map", "an object"),
    ("map", "an object"),
    ("a string", "a text"),
    ("string", "a text"),
    ("a borrowed string", "a text"),
    ("unit", "null"),
];

/// The reason in the words of clients.
pub fn plain_reason(text: &str) -> String {
    let mut plain = text.to_owned();
    for (kind, word) in WORDS {
        plain = replaced_word(&plain, &format!("expected {kind}"), &format!("expected {word}"));
        plain = replaced_word(&plain, &format!("to a `{kind}`"), &format!("as {word}"));
    }
    // `expected struct JobRequest`
    if let Some((head, rest)) = plain.split_once("expected struct ") {
        let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        plain = format!("{head}expected an object{}", rest.get(end..).unwrap_or_default());
    }
    plain
        .replace("Cannot parse", "cannot read")
        .replace("invalid digit found in string", "expected a whole number")
}

/// Replaces a word that does not go on.
fn replaced_word(text: &str, from: &str, to: &str) -> String {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(from) {
        let goes_on = tail.starts_with(|letter: char| letter.is_alphanumeric());
        parts.push(format!("{head}{}", if goes_on { from } else { to }));
        rest = tail;
    }
    parts.push(rest.to_owned());
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(plain_reason(text), expected);
    }

    #[test]
    fn types_are_not_named() {
        check(
            "invalid type: string \"x\", expected i64 at line 1 column 9",
            "invalid type: string \"x\", expected a whole number at line 1 column 9",
        );
        check(
            "invalid type: map, expected struct JobRequest at line 1",
            "invalid type: map, expected an object at line 1",
        );
        check(
            "Cannot parse `job` with value `x` to a `i64`",
            "cannot read `job` with value `x` as a whole number",
        );
        check("expected a stringent value", "expected a stringent value");
        check("before: invalid digit found in string", "before: expected a whole number");
    }
}
