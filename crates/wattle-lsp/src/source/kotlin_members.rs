//! Functions, constructors and accessors of Kotlin.

use super::DeclarationKind;
use super::kotlin_properties::{accessors_of_parameters, property};
use super::kotlin_syntax::{
    Modifiers, expression_end, is_declaration, is_open_before, modifiers, type_end,
};
use super::member_collector::{ClassBody, Member, MemberCollector};
use super::parameter_type::kotlin_type;
use super::token_cursor::TokenCursor;

/// Collects the functions, constructors and accessors of a file with this name, without its ending.
pub(super) fn collect(found: &mut MemberCollector<'_, '_>, stem: &str) {
    let file = ClassBody {
        tokens: 0..found.tokens.len(),
        class: file_class(stem),
        ..ClassBody::default()
    };
    found.read_all(file, read);
}

/// The class of functions outside of classes: `feed.kt` has `FeedKt`.
fn file_class(stem: &str) -> String {
    let mut letters = stem.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let name: String = first + letters.as_str() + "Kt";
    name.chars()
        .map(|letter| if letter.is_alphanumeric() || letter == '_' { letter } else { '_' })
        .collect()
}

fn read(found: &mut MemberCollector<'_, '_>, body: &mut ClassBody) {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let mut at = body.tokens.start;
    if body.is_enum {
        at = after_entries(found, body);
    }
    while at < end {
        let start = at;
        if body.depth == 0
            && let Some(behind) = file_head(tokens, body, at)
        {
            at = behind;
            continue;
        }
        let (keyword, modifiers) = modifiers(tokens, at, end);
        at = match tokens.word(keyword) {
            Some("fun") if !tokens.is_word(keyword + 1, "interface") => {
                function(found, body, (start, keyword), &modifiers)
            }
            Some("fun") => class(found, body, (start, keyword + 1), &modifiers),
            Some("class" | "interface" | "object") => {
                class(found, body, (start, keyword), &modifiers)
            }
            Some("val" | "var") => property(found, body, (start, keyword), &modifiers),
            Some("constructor") if tokens.is_sign(keyword + 1, b'(') => {
                constructor(found, body, (start, keyword))
            }
            _ => {
                let behind = tokens.after(keyword.min(end), end);
                if body.depth > 0 {
                    body.loose.push(start..behind);
                }
                behind
            }
        };
        at = at.max(start + 1);
    }
}

/// Package, imports and annotations of the file; returns the place behind what was read.
fn file_head(tokens: &TokenCursor<'_>, body: &mut ClassBody, at: usize) -> Option<usize> {
    let end = body.tokens.end;
    let line_end = |mut at: usize| {
        at += 1;
        while at < end && !tokens.is_first(at) && !tokens.is_sign(at, b';') {
            at += 1;
        }
        at
    };
    if tokens.is_sign(at, b'@') && tokens.is_word(at + 1, "file") && tokens.is_sign(at + 2, b':') {
        let behind = tokens.after_annotation(at, end);
        if (at..behind).any(|it| tokens.is_word(it, "JvmName"))
            && let Some(name) = tokens.first_text(at, behind)
        {
            name.clone_into(&mut body.class);
            // The package may have been read before.
            body.class = format!("{}{name}", body.prefix);
        }
        return Some(behind);
    }
    if tokens.is_word(at, "package") {
        let behind = line_end(at);
        let name: Vec<&str> = (at + 1..behind).filter_map(|it| tokens.word(it)).collect();
        body.prefix = name.iter().flat_map(|part| [*part, "."]).collect();
        body.class = format!("{}{}", body.prefix, body.class);
        return Some(behind);
    }
    tokens.is_word(at, "import").then(|| line_end(at))
}

/// The entries of an enumeration; returns the place behind them.
fn after_entries(found: &mut MemberCollector<'_, '_>, body: &mut ClassBody) -> usize {
    let tokens = found.tokens;
    let (end, mut at) = (body.tokens.end, body.tokens.start);
    let start = at;
    while at < end && !tokens.is_sign(at, b';') {
        if tokens.is_sign(at, b'@') {
            at = tokens.after_annotation(at, end);
            continue;
        }
        let entry = tokens.word(at).map(|name| (name, at));
        at = tokens.after(at, end);
        let Some((name, name_token)) = entry else { continue };
        if tokens.is_sign(at, b'(') {
            at = tokens.after(at, end);
        }
        if tokens.is_sign(at, b'{') {
            let close = tokens.closing(at, end);
            let mut nested = body.nested(name, name_token);
            nested.tokens = at + 1..close;
            found.open(nested);
            at = (close + 1).min(end);
        }
    }
    body.loose.push(start..at);
    (at + 1).min(end)
}

/// A class, interface or object; returns the place behind it.
fn class(
    found: &mut MemberCollector<'_, '_>,
    body: &ClassBody,
    (start, keyword): (usize, usize),
    facts: &Modifiers,
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let kind = tokens.text(keyword);
    let named =
        tokens.word(keyword + 1).filter(|_| !(kind == "object" && tokens.is_first(keyword + 1)));
    let (name, name_token) = match named {
        Some(name) => (name, keyword + 1),
        None if facts.is_companion => ("Companion", keyword),
        None => return keyword + 1,
    };
    let mut nested = body.nested(name, name_token);
    nested.is_enum = facts.is_enum;
    nested.has_constructors = kind != "interface";
    let mut next = tokens.after_generics(name_token + 1, end);
    // `class Feed @Inject internal constructor(`
    let (behind, _) = modifiers(tokens, next, end);
    let is_primary = tokens.is_sign(next, b'(')
        || (tokens.is_word(behind, "constructor") && tokens.is_sign(behind + 1, b'('));
    if is_primary && kind == "class" {
        let open = if tokens.is_sign(next, b'(') { next } else { behind + 1 };
        let parameters = parameters(found, open, end);
        next = tokens.after(open, end);
        accessors_of_parameters(found, &nested, open);
        let member = Member {
            is_mangled: facts.is_enum,
            ..Member::constructor(parameters, start..next, name_token)
        };
        let place = found.add(&nested.class, member);
        nested.constructors.push(place);
    }
    let open = supertypes_end(tokens, next, end);
    nested.loose.push(next..open);
    if !tokens.is_sign(open, b'{') {
        nested.tokens = open..open;
        found.open(nested);
        return open;
    }
    let close = tokens.closing(open, end);
    nested.tokens = open + 1..close;
    found.open(nested);
    (close + 1).min(end)
}

/// The place behind the supertypes of a class: its body, or where nothing goes on.
fn supertypes_end(tokens: &TokenCursor<'_>, from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end && !tokens.is_sign(at, b'{') && !tokens.is_sign(at, b';') {
        let goes_on = is_open_before(tokens, at)
            || [b':', b',', b'('].iter().any(|sign| tokens.is_sign(at, *sign))
            || tokens.is_word(at, "where");
        if tokens.is_first(at) && !goes_on {
            break;
        }
        at = if tokens.is_sign(at, b'<') {
            tokens.after_generics(at, end)
        } else {
            tokens.after(at, end)
        };
    }
    at
}

/// A secondary constructor; returns the place behind it.
fn constructor(
    found: &mut MemberCollector<'_, '_>,
    body: &mut ClassBody,
    (start, keyword): (usize, usize),
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let parameters = parameters(found, keyword + 1, end);
    let mut at = tokens.after(keyword + 1, end);
    if tokens.is_sign(at, b':') {
        // `: this(a)`
        at = tokens.after(at + 2, end);
    }
    if tokens.is_sign(at, b'{') {
        at = tokens.after(at, end);
    }
    let member = Member::constructor(parameters, start..at, keyword);
    let place = found.add(&body.class.clone(), member);
    body.constructors.push(place);
    at
}

/// A function; returns the place behind it.
fn function(
    found: &mut MemberCollector<'_, '_>,
    body: &ClassBody,
    (start, keyword): (usize, usize),
    facts: &Modifiers,
) -> usize {
    let tokens = found.tokens;
    let end = body.tokens.end;
    let mut at = tokens.after_generics(keyword + 1, end);
    let receiver_start = at;
    let mut dot = None;
    let name_token = loop {
        if at >= end
            || tokens.is_sign(at, b'{')
            || tokens.is_sign(at, b';')
            || tokens.is_sign(at, b'}')
        {
            return at;
        }
        if tokens.is_sign(at, b'(') {
            let is_name = at > receiver_start && tokens.word(at - 1).is_some();
            if is_name {
                break at - 1;
            }
        }
        if at > keyword + 1 && tokens.is_first(at) && is_declaration(tokens, at, end) {
            return at;
        }
        if tokens.is_sign(at, b'.') {
            dot = Some(at);
        }
        at = tokens.after_part_of_type(at, end);
    };
    let mut parameters = parameters(found, name_token + 1, end);
    if let Some(dot) = dot {
        parameters.insert(0, kotlin_type(tokens, receiver_start..dot));
    }
    let mut next = tokens.after(name_token + 1, end);
    if tokens.is_sign(next, b':') {
        next = type_end(tokens, next + 1, end);
    } else if tokens.is_word(next, "where") {
        next = type_end(tokens, next, end);
    }
    let (behind, has_body) = if tokens.is_sign(next, b'{') {
        (tokens.after(next, end), true)
    } else if tokens.is_sign(next, b'=') {
        (expression_end(tokens, next + 1, end), true)
    } else {
        (next, false)
    };
    let is_external = (start..keyword).any(|it| tokens.is_word(it, "external"));
    if has_body || is_external {
        let name = tokens.word(name_token).unwrap_or_default();
        let member = Member {
            kind: DeclarationKind::Method,
            name: facts.jvm_name.clone().unwrap_or_else(|| name.to_owned()),
            parameters,
            is_mangled: facts.is_mangled,
            tokens: start..behind,
            name_token,
        };
        found.add(&body.class, member);
    }
    behind
}

fn parameters(found: &MemberCollector<'_, '_>, open: usize, end: usize) -> Vec<String> {
    let tokens = found.tokens;
    let kind = |part: std::ops::Range<usize>| {
        let colon = (part.start..part.end).find(|at| tokens.is_sign(*at, b':'))?;
        let is_array = (part.start..colon).any(|at| tokens.is_word(at, "vararg"));
        let mut stop = colon + 1;
        while stop < part.end && !tokens.is_sign(stop, b'=') {
            stop = if tokens.is_sign(stop, b'<') {
                tokens.after_generics(stop, part.end)
            } else {
                tokens.after(stop, part.end)
            };
        }
        Some(kotlin_type(tokens, colon + 1..stop) + if is_array { "[]" } else { "" })
    };
    tokens
        .between_commas(open, end)
        .into_iter()
        .map(|part| kind(part).unwrap_or_default())
        .collect()
}
