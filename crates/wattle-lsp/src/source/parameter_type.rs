//! Types of parameters by their last names, which sources and descriptors have in common.

use std::ops::Range;

use super::token_cursor::TokenCursor;

/// Kotlin's names of what the virtual machine has under others: not null, nullable.
const KOTLIN_TYPES: [(&str, &str, &str); 20] = [
    ("Int", "int", "Integer"),
    ("Long", "long", "Long"),
    ("Short", "short", "Short"),
    ("Byte", "byte", "Byte"),
    ("Boolean", "boolean", "Boolean"),
    ("Char", "char", "Character"),
    ("Float", "float", "Float"),
    ("Double", "double", "Double"),
    ("IntArray", "int[]", "int[]"),
    ("LongArray", "long[]", "long[]"),
    ("ShortArray", "short[]", "short[]"),
    ("ByteArray", "byte[]", "byte[]"),
    ("BooleanArray", "boolean[]", "boolean[]"),
    ("CharArray", "char[]", "char[]"),
    ("FloatArray", "float[]", "float[]"),
    ("DoubleArray", "double[]", "double[]"),
    ("Any", "Object", "Object"),
    ("MutableList", "List", "List"),
    ("MutableMap", "Map", "Map"),
    ("MutableSet", "Set", "Set"),
];

/// The type of a parameter of Java: everything but its name, without annotations and `final`.
pub(super) fn java_type(tokens: &TokenCursor<'_>, part: Range<usize>) -> String {
    let (mut last, mut arrays, mut words, mut at) = (String::new(), 0, Vec::new(), part.start);
    while at < part.end {
        if tokens.is_sign(at, b'@') {
            at = tokens.after_annotation(at, part.end);
        } else if tokens.is_sign(at, b'<') {
            at = tokens.after_generics(at, part.end);
        } else if tokens.is_sign(at, b'[') {
            arrays += 1;
            at = tokens.after(at, part.end);
        } else if tokens.is_sign(at, b'.') {
            // `a.b.C` is one name, `...` an array.
            if tokens.is_sign(at + 1, b'.') {
                arrays += 1;
                at += 3;
            } else {
                words.pop();
                at += 1;
            }
        } else {
            if let Some(word) = tokens.word(at).filter(|word| *word != "final") {
                words.push(word);
            }
            at += 1;
        }
    }
    // The last word is the name.
    if let Some(word) = words.len().checked_sub(2).and_then(|at| words.get(at)) {
        last.push_str(word);
    }
    last + &"[]".repeat(arrays)
}

/// The type of Kotlin that a range of tokens is.
pub(super) fn kotlin_type(tokens: &TokenCursor<'_>, part: Range<usize>) -> String {
    let (mut name, mut argument, mut is_nullable, mut is_function) =
        ("", String::new(), false, false);
    let mut inputs = 0;
    let mut part = part;
    // `(() -> Unit)`
    while tokens.is_sign(part.start, b'(') && tokens.after(part.start, part.end) == part.end {
        part = part.start + 1..part.end.saturating_sub(1).max(part.start + 1);
    }
    let mut at = part.start;
    while at < part.end {
        if tokens.is_sign(at, b'@') {
            at = tokens.after_annotation(at, part.end);
        } else if tokens.is_sign(at, b'<') {
            let end = tokens.after_generics(at, part.end);
            if name == "Array" && argument.is_empty() {
                argument = kotlin_type(tokens, at + 1..end.saturating_sub(1).min(at + 12));
            }
            at = end;
        } else if tokens.is_sign(at, b'(') {
            inputs += tokens.between_commas(at, part.end).len();
            at = tokens.after(at, part.end);
        } else {
            is_function |= tokens.is_sign(at, b'-') && tokens.is_sign(at + 1, b'>');
            is_nullable |= tokens.is_sign(at, b'?');
            if let Some(word) = tokens.word(at)
                && !is_function
                && !matches!(word, "suspend" | "out" | "in")
            {
                name = word;
            }
            at += 1;
        }
    }
    if is_function {
        // A receiver is the first input.
        return format!("Function{}", inputs + usize::from(!name.is_empty()));
    }
    if name == "Array" {
        let boxed = KOTLIN_TYPES.iter().find(|(_, plain, _)| *plain == argument);
        return boxed.map_or(argument.as_str(), |(.., boxed)| boxed).to_owned() + "[]";
    }
    match KOTLIN_TYPES.iter().find(|(kotlin, ..)| *kotlin == name) {
        Some((_, _, boxed)) if is_nullable => (*boxed).to_owned(),
        Some((_, plain, _)) => (*plain).to_owned(),
        None => name.to_owned(),
    }
}

/// The last names of the parameters' types of a descriptor: of `(I[Ljava/lang/String;)V` `int`, `String[]`. `None` where it is none.
pub fn descriptor_parameters(descriptor: &str) -> Option<Vec<String>> {
    let inner = descriptor.strip_prefix('(')?.split(')').next()?;
    let mut types = Vec::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let plain = rest.trim_start_matches('[');
        let arrays = rest.len() - plain.len();
        let (name, behind) = if let Some(class) = plain.strip_prefix('L') {
            let (class, behind) = class.split_once(';')?;
            (class.rsplit(['/', '$']).next().unwrap_or(class), behind)
        } else {
            let name = match plain.bytes().next()? {
                b'I' => "int",
                b'J' => "long",
                b'S' => "short",
                b'B' => "byte",
                b'Z' => "boolean",
                b'C' => "char",
                b'F' => "float",
                b'D' => "double",
                _ => return None,
            };
            (name, plain.get(1..)?)
        };
        types.push(name.to_owned() + &"[]".repeat(arrays.min(255)));
        rest = behind;
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_have_names_of_types() {
        let names =
            descriptor_parameters("(IJ[[Ljava/lang/String;Lcom/a/B$C;)V").expect("a descriptor");
        assert_eq!(names, ["int", "long", "String[][]", "C"]);
        assert_eq!(descriptor_parameters("()V"), Some(Vec::new()));
        for wrong in ["", "I", "(Q)V", "(Lfoo)V"] {
            assert_eq!(descriptor_parameters(wrong), None, "{wrong}");
        }
    }
}
