//! Functions of C, C++ and Rust, by their own names alone.

use super::DeclarationKind;
use super::member_collector::{Member, MemberCollector};

/// Words before parentheses that are no names of functions.
const NO_NAMES: [&str; 14] = [
    "if", "while", "for", "switch", "return", "sizeof", "catch", "match", "defined", "alignof",
    "decltype", "noexcept", "throw", "fn",
];
/// The most tokens between the parameters of a function and its body.
const MOST_BETWEEN: usize = 80;

/// Collects functions with bodies.
pub(super) fn collect(found: &mut MemberCollector<'_, '_>, is_rust: bool) {
    let tokens = found.tokens;
    let end = tokens.len();
    for at in 0..end {
        let Some(name) = tokens.word(at).filter(|word| !NO_NAMES.contains(word)) else { continue };
        let open = if is_rust { tokens.after_generics(at + 1, end) } else { at + 1 };
        let is_declared = !is_rust || at.checked_sub(1).is_some_and(|it| tokens.is_word(it, "fn"));
        if !is_declared || !tokens.is_sign(open, b'(') || is_called(found, at) {
            continue;
        }
        let mut next = tokens.after(open, end);
        let limit = end.min(next + MOST_BETWEEN);
        while next < limit && !b";})=".iter().any(|sign| tokens.is_sign(next, *sign)) {
            let behind = tokens.after(next, end);
            // `: items_{1, 2} {`: braces of an initial value, and not the body.
            let is_value = tokens.is_sign(behind, b',') || tokens.is_sign(behind, b'{');
            let is_named = next.checked_sub(1).is_some_and(|it| tokens.word(it).is_some());
            if tokens.is_sign(next, b'{') && !(is_value && is_named) {
                break;
            }
            next = behind;
        }
        if next < end && tokens.is_sign(next, b'{') {
            let member = Member {
                kind: DeclarationKind::Method,
                name: name.to_owned(),
                parameters: Vec::new(),
                is_mangled: true,
                tokens: at..tokens.after(next, end),
                name_token: at,
            };
            found.add("", member);
        }
    }
}

/// Whether what is before a name makes it a call: `a.name(`, `a->name(`, `= name(`.
fn is_called(found: &MemberCollector<'_, '_>, name: usize) -> bool {
    let tokens = found.tokens;
    let Some(before) = name.checked_sub(1) else { return false };
    let is_arrow = tokens.is_sign(before, b'>') && before > 0 && tokens.is_sign(before - 1, b'-');
    is_arrow
        || b".=(,!&|+-/%?".iter().any(|sign| tokens.is_sign(before, *sign) && *sign != b'&')
        || matches!(tokens.text(before), "return" | "new" | "else" | "throw" | "case")
}
