//! Properties of Kotlin and their accessors.

use super::DeclarationKind;
use super::kotlin_syntax::{
    Modifiers, accessor_at, expression_end, is_open_before, modifiers, type_end,
};
use super::member_collector::{ClassBody, Member, MemberCollector};
use super::token_cursor::TokenCursor;

/// Getters and setters of properties that a primary constructor declares.
pub(super) fn accessors_of_parameters(
    found: &mut MemberCollector<'_, '_>,
    class: &ClassBody,
    open: usize,
) {
    let tokens = found.tokens;
    for part in tokens.between_commas(open, tokens.len()) {
        let (keyword, facts) = modifiers(tokens, part.start, part.end);
        let is_private = (part.start..keyword).any(|at| tokens.is_word(at, "private"));
        let is_var = tokens.is_word(keyword, "var");
        let Some(name) = tokens.word(keyword + 1) else { continue };
        if is_private || !(is_var || tokens.is_word(keyword, "val")) {
            continue;
        }
        let place = Accessors { start: part.start, end: part.end, name_token: keyword + 1 };
        add_accessors(found, &class.class, (name, is_var), (&place, &facts));
    }
}

/// The tokens of a property whose accessors are not written out.
struct Accessors {
    start: usize,
    end: usize,
    name_token: usize,
}

fn add_accessors(
    found: &mut MemberCollector<'_, '_>,
    class: &str,
    (name, is_var): (&str, bool),
    (place, facts): (&Accessors, &Modifiers),
) {
    let kinds: &[usize] = if is_var { &[0, 1] } else { &[0] };
    for kind in kinds {
        let given = facts.accessor_names[*kind].clone();
        let member = Member {
            kind: DeclarationKind::Accessor,
            name: given.unwrap_or_else(|| accessor_name(name, *kind == 1)),
            parameters: Vec::new(),
            is_mangled: facts.is_mangled,
            tokens: place.start..place.end,
            name_token: place.name_token,
        };
        found.add(class, member);
    }
}

/// `getTitle`, `setTitle`; of `isOpen` `isOpen` and `setOpen`.
fn accessor_name(property: &str, is_setter: bool) -> String {
    let behind_is =
        property.strip_prefix("is").filter(|rest| !rest.starts_with(|it: char| it.is_lowercase()));
    match (behind_is, is_setter) {
        (Some(rest), true) if !rest.is_empty() => format!("set{rest}"),
        (Some(rest), false) if !rest.is_empty() => property.to_owned(),
        _ => {
            let mut letters = property.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            format!("{}{first}{}", if is_setter { "set" } else { "get" }, letters.as_str())
        }
    }
}

/// A property with its accessors; returns the place behind them.
pub(super) fn property(
    found: &mut MemberCollector<'_, '_>,
    body: &mut ClassBody,
    (start, keyword): (usize, usize),
    facts: &Modifiers,
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let is_var = tokens.is_word(keyword, "var");
    let mut at = tokens.after_generics(keyword + 1, end);
    // The last word before a colon, a value or the line's end is the name.
    let mut name_token = at;
    while tokens.word(at).is_some()
        || tokens.is_sign(at, b'.')
        || tokens.is_sign(at, b'?')
        || tokens.is_sign(at, b'<')
    {
        if at > name_token && tokens.is_first(at) {
            break;
        }
        if tokens.is_word(at, "by") || accessor_at(tokens, at, end).is_some_and(|_| at > name_token)
        {
            break;
        }
        if tokens.word(at).is_some() {
            name_token = at;
        }
        at = if tokens.is_sign(at, b'<') { tokens.after_generics(at, end) } else { at + 1 };
    }
    let Some(name) = tokens.word(name_token) else { return tokens.after(at, end) };
    if tokens.is_sign(at, b':') {
        at = type_end(tokens, at + 1, end);
    }
    if tokens.is_sign(at, b'=') || tokens.is_word(at, "by") {
        at = value_end(tokens, at + 1, end);
    }
    let end_of_value = at;
    let mut is_written = [false; 2];
    while let Some((is_setter, behind)) = accessor_at(tokens, at, end) {
        let accessor_start = at;
        at = behind;
        if !tokens.is_sign(at, b'(') {
            continue;
        }
        at = tokens.after(at, end);
        if tokens.is_sign(at, b':') {
            at = type_end(tokens, at + 1, end);
        }
        at = if tokens.is_sign(at, b'{') {
            tokens.after(at, end)
        } else {
            value_end(tokens, at + 1, end)
        };
        let given = facts.accessor_names[usize::from(is_setter)].clone();
        let member = Member {
            kind: DeclarationKind::Accessor,
            name: given.unwrap_or_else(|| accessor_name(name, is_setter)),
            parameters: Vec::new(),
            is_mangled: facts.is_mangled,
            tokens: accessor_start..at,
            name_token: behind - 1,
        };
        found.add(&body.class, member);
        is_written[usize::from(is_setter)] = true;
    }
    body.loose.push(start..end_of_value);
    let is_private = (start..keyword).any(|it| tokens.is_word(it, "private"));
    if is_written == [false; 2] && !is_private {
        let place = Accessors { start, end: end_of_value, name_token };
        add_accessors(found, &body.class, (name, is_var), (&place, facts));
    }
    at
}

/// The end of a property's value: also where an accessor begins on a line of its own.
fn value_end(tokens: &TokenCursor<'_>, from: usize, end: usize) -> usize {
    let limit = expression_end(tokens, from, end);
    let mut at = from;
    while at < limit {
        if at > from
            && tokens.is_first(at)
            && !is_open_before(tokens, at)
            && accessor_at(tokens, at, limit).is_some()
        {
            return at;
        }
        at = tokens.after(at, limit);
    }
    limit
}
