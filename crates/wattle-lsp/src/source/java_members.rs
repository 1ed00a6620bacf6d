//! Methods and constructors of Java.

use super::DeclarationKind;
use super::member_collector::{ClassBody, Member, MemberCollector};
use super::parameter_type::java_type;

/// Words before a declaration.
const MODIFIERS: [&str; 13] = [
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "synchronized",
    "native",
    "strictfp",
    "transient",
    "volatile",
    "default",
    "sealed",
];

/// Collects the methods and constructors of a file.
pub(super) fn collect(found: &mut MemberCollector<'_, '_>) {
    let file = ClassBody { tokens: 0..found.tokens.len(), ..ClassBody::default() };
    found.read_all(file, read);
}

fn read(found: &mut MemberCollector<'_, '_>, body: &mut ClassBody) {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let mut at = body.tokens.start;
    if body.is_enum {
        at = after_constants(found, body);
    }
    while at < end {
        let start = at;
        let mut next = after_modifiers(found, at, end);
        if body.depth == 0 && tokens.is_word(next, "package") {
            let mut name = String::new();
            next += 1;
            while next < end && !tokens.is_sign(next, b';') {
                name.push_str(tokens.text(next));
                next += 1;
            }
            body.prefix = if name.is_empty() { name } else { name + "." };
            at = next + 1;
            continue;
        }
        let is_type = match tokens.word(next) {
            Some("class" | "interface" | "enum") => true,
            Some("record") => {
                tokens.word(next + 1).is_some()
                    && (tokens.is_sign(next + 2, b'(') || tokens.is_sign(next + 2, b'<'))
            }
            _ => tokens.is_sign(next, b'@') && tokens.is_word(next + 1, "interface"),
        };
        at = if is_type {
            class(found, body, (start, next))
        } else if tokens.is_sign(next, b'{') {
            let behind = tokens.after(next, end);
            body.loose.push(start..behind);
            behind
        } else if next >= end {
            next
        } else {
            member(found, body, (start, next))
        };
        at = at.max(start + 1);
    }
}

fn after_modifiers(found: &MemberCollector<'_, '_>, from: usize, end: usize) -> usize {
    let tokens = found.tokens;
    let mut at = from;
    while at < end {
        if tokens.is_sign(at, b'@') && !tokens.is_word(at + 1, "interface") {
            at = tokens.after_annotation(at, end);
        } else if tokens.is_word(at, "non") && tokens.is_sign(at + 1, b'-') {
            at += 3;
        } else if tokens.word(at).is_some_and(|word| MODIFIERS.contains(&word)) {
            at += 1;
        } else {
            break;
        }
    }
    at.min(end)
}

/// The place behind the constants of an enumeration.
fn after_constants(found: &MemberCollector<'_, '_>, body: &mut ClassBody) -> usize {
    let tokens = found.tokens;
    let (end, mut at) = (body.tokens.end, body.tokens.start);
    let start = at;
    while at < end && !tokens.is_sign(at, b';') {
        at = tokens.after(at, end);
    }
    body.loose.push(start..at);
    (at + 1).min(end)
}

/// A class, from its first modifier; returns the place behind it.
fn class(
    found: &mut MemberCollector<'_, '_>,
    body: &ClassBody,
    (start, keyword): (usize, usize),
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let is_annotation = tokens.is_sign(keyword, b'@');
    let kind = if is_annotation { "interface" } else { tokens.text(keyword) };
    let name_token = keyword + 1 + usize::from(is_annotation);
    let Some(name) = tokens.word(name_token) else { return name_token };
    let mut next = tokens.after_generics(name_token + 1, end);
    let mut nested = body.nested(name, name_token);
    nested.is_enum = kind == "enum";
    nested.has_constructors = kind != "interface";
    if kind == "record" && tokens.is_sign(next, b'(') {
        let parameters = parameters(found, next, end);
        let member = Member::constructor(parameters, start..tokens.after(next, end), name_token);
        let place = found.add(&nested.class, member);
        nested.constructors.push(place);
        next = tokens.after(next, end);
    }
    while next < end && !tokens.is_sign(next, b'{') && !tokens.is_sign(next, b';') {
        next = tokens.after(next, end);
    }
    if !tokens.is_sign(next, b'{') {
        return (next + 1).min(end);
    }
    let close = tokens.closing(next, end);
    nested.tokens = next + 1..close;
    found.open(nested);
    (close + 1).min(end)
}

/// A field, method or constructor; returns the place behind it.
fn member(
    found: &mut MemberCollector<'_, '_>,
    body: &mut ClassBody,
    (start, first): (usize, usize),
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let mut at = tokens.after_generics(first, end);
    // Annotations can stand behind type parameters, and in types.
    at = after_modifiers(found, at, end);
    let type_start = at;
    while at < end {
        if tokens.is_sign(at, b'(') {
            let Some(name) = at.checked_sub(1).filter(|it| *it >= type_start) else {
                return tokens.after(at, end);
            };
            let Some(word) = tokens.word(name) else { return tokens.after(at, end) };
            let is_constructor = name == type_start;
            if is_constructor && word != body.simple {
                return tokens.after(at, end);
            }
            return method(found, body, (start, name, is_constructor));
        }
        if tokens.is_sign(at, b';') {
            body.loose.push(start..at + 1);
            return at + 1;
        }
        if tokens.is_sign(at, b'=') {
            while at < end && !tokens.is_sign(at, b';') {
                at = tokens.after(at, end);
            }
            body.loose.push(start..at);
            return at + 1;
        }
        if tokens.is_sign(at, b'{') {
            // The compact constructor of a record, or something unfinished.
            let behind = tokens.after(at, end);
            body.loose.push(start..behind);
            return behind;
        }
        at = tokens.after_part_of_type(at, end);
    }
    end
}

/// A method or constructor whose name was found; returns the place behind it.
fn method(
    found: &mut MemberCollector<'_, '_>,
    body: &mut ClassBody,
    (start, name, is_constructor): (usize, usize, bool),
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let parameters = parameters(found, name + 1, end);
    let mut at = tokens.after(name + 1, end);
    while at < end && !tokens.is_sign(at, b'{') && !tokens.is_sign(at, b';') {
        // A method without body or semicolon is being typed: the next one begins where a line and a closing brace do.
        at = tokens.after(at, end);
    }
    let has_body = tokens.is_sign(at, b'{');
    let behind = tokens.after(at, end);
    let member = Member {
        kind: if is_constructor { DeclarationKind::Constructor } else { DeclarationKind::Method },
        name: if is_constructor { "<init>".to_owned() } else { tokens.text(name).to_owned() },
        parameters,
        is_mangled: false,
        tokens: start..behind,
        name_token: name,
    };
    // What has no body runs nowhere, except native methods.
    let is_native = (start..name).any(|it| tokens.is_word(it, "native"));
    if has_body || is_native {
        let place = found.add(&body.class.clone(), member);
        if is_constructor {
            body.constructors.push(place);
        }
    }
    behind
}

fn parameters(found: &MemberCollector<'_, '_>, open: usize, end: usize) -> Vec<String> {
    let parts = found.tokens.between_commas(open, end);
    // `Foo this` is no parameter.
    let is_receiver =
        |part: &std::ops::Range<usize>| part.end > 0 && found.tokens.is_word(part.end - 1, "this");
    parts
        .into_iter()
        .filter(|part| !is_receiver(part))
        .map(|part| java_type(found.tokens, part))
        .collect()
}
