//! The syntax around declarations of Kotlin: modifiers, and where types and values end.

use super::token_cursor::TokenCursor;

/// Words that can stand before a declaration; outside of this place each of them is an ordinary name.
const MODIFIERS: [&str; 28] = [
    "public",
    "private",
    "internal",
    "protected",
    "open",
    "abstract",
    "final",
    "sealed",
    "data",
    "inner",
    "enum",
    "annotation",
    "override",
    "lateinit",
    "const",
    "inline",
    "noinline",
    "crossinline",
    "tailrec",
    "operator",
    "infix",
    "external",
    "suspend",
    "expect",
    "actual",
    "companion",
    "value",
    "vararg",
];

/// The most modifiers and annotations of one declaration that are read.
const MOST_MODIFIERS: usize = 40;

/// Words that begin a declaration.
const DECLARATIONS: [&str; 7] = ["fun", "val", "var", "class", "interface", "object", "typealias"];

/// The facts of modifiers that names depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct Modifiers {
    pub is_companion: bool,
    pub is_enum: bool,
    /// `suspend` adds a parameter, `internal` something to the name.
    pub is_mangled: bool,
    /// The name that `@JvmName` gives.
    pub jvm_name: Option<String>,
    /// The same for getter and setter of a property.
    pub accessor_names: [Option<String>; 2],
}

/// Reads modifiers and annotations; returns the place of what they belong to.
pub(super) fn modifiers(tokens: &TokenCursor<'_>, from: usize, end: usize) -> (usize, Modifiers) {
    let mut facts = Modifiers::default();
    let mut at = from;
    for _ in 0..MOST_MODIFIERS {
        if at >= end {
            break;
        }
        if tokens.is_sign(at, b'@') {
            let behind = tokens.after_annotation(at, end);
            if (at..behind).any(|it| tokens.is_word(it, "JvmName")) {
                let name = tokens.first_text(at, behind).map(str::to_owned);
                match tokens.text(at + 1) {
                    "get" => facts.accessor_names[0] = name,
                    "set" => facts.accessor_names[1] = name,
                    _ => facts.jvm_name = name,
                }
            }
            at = behind;
            continue;
        }
        match tokens.word(at) {
            Some("companion") => facts.is_companion = true,
            Some("enum") => facts.is_enum = true,
            Some("suspend" | "internal") => facts.is_mangled = true,
            Some(word) if MODIFIERS.contains(&word) => {}
            _ => break,
        }
        at += 1;
    }
    (at, facts)
}

/// Whether a declaration begins here.
pub(super) fn is_declaration(tokens: &TokenCursor<'_>, at: usize, end: usize) -> bool {
    let (keyword, _) = modifiers(tokens, at, end);
    match tokens.word(keyword) {
        Some("constructor") => tokens.is_sign(keyword + 1, b'('),
        Some("init") => tokens.is_sign(keyword + 1, b'{'),
        Some(word) => DECLARATIONS.contains(&word),
        None => false,
    }
}

/// Whether the token before a place wants more behind it.
pub(super) fn is_open_before(tokens: &TokenCursor<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    // `x++` is whole, and so are `Int?`, `x!!` and `List<Int>`.
    let is_twice = before > 0 && tokens.text(before) == tokens.text(before - 1);
    let is_arrow = tokens.is_sign(before, b'>') && before > 0 && tokens.is_sign(before - 1, b'-');
    b"=,.:&|*/%".iter().any(|sign| tokens.is_sign(before, *sign))
        || (b"+-".iter().any(|sign| tokens.is_sign(before, *sign)) && !is_twice)
        || is_arrow
        || matches!(tokens.text(before), "else" | "return" | "throw" | "in" | "is" | "as" | "by")
}

/// The end of an expression that begins at a place of a body: where the next declaration begins, or at a semicolon.
pub(super) fn expression_end(tokens: &TokenCursor<'_>, from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        if tokens.is_sign(at, b';') {
            return at;
        }
        if at > from
            && tokens.is_first(at)
            && !is_open_before(tokens, at)
            && is_declaration(tokens, at, end)
        {
            return at;
        }
        at = tokens.after(at, end);
    }
    end
}

/// The place behind a type that begins here, up to a body, a value, or the line's end.
pub(super) fn type_end(tokens: &TokenCursor<'_>, from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end {
        if [b'{', b'=', b';', b',', b')'].iter().any(|sign| tokens.is_sign(at, *sign)) {
            break;
        }
        let goes_on =
            is_open_before(tokens, at) || tokens.is_sign(at, b'.') || tokens.is_word(at, "where");
        if at > from && tokens.is_first(at) && !goes_on {
            break;
        }
        // Accessors stand behind a type on its line, too.
        if at > from && accessor_at(tokens, at, end).is_some() && !is_open_before(tokens, at) {
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

/// An accessor that begins here: whether it is a setter, and the place behind its name. `get(`, and `private set` without body.
pub(super) fn accessor_at(
    tokens: &TokenCursor<'_>,
    at: usize,
    end: usize,
) -> Option<(bool, usize)> {
    let (keyword, _) = modifiers(tokens, at, end);
    let is_setter = match tokens.word(keyword)? {
        "get" => false,
        "set" => true,
        _ => return None,
    };
    if tokens.is_sign(keyword + 1, b'(') {
        let behind = tokens.after(keyword + 1, end);
        let has_body = [b'=', b'{', b':'].iter().any(|sign| tokens.is_sign(behind, *sign));
        has_body.then_some((is_setter, keyword + 1))
    } else {
        (tokens.is_first(keyword + 1) || keyword + 1 >= end).then_some((is_setter, keyword + 1))
    }
}
