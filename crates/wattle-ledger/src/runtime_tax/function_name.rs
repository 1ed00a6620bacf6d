//! The qualified name inside what profilers write for a function.

/// The name without result, arguments and what stands behind them: `art::gc::Heap::Trim` of
/// `void art::gc::Heap::Trim(art::Thread*) [clone .cfi]`, `java.lang.Class.forName` of `java.lang.Class.forName (Ljava/lang/String;)V`.
///
/// Spaces and parentheses inside `<…>` belong to the name, as does `(anonymous namespace)`.
pub(super) fn qualified(function: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let mut angles = 0_usize;
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = function.get(at..).and_then(|rest| rest.chars().next()) {
        match c {
            // `<clinit>` and `<init>` are no angles that hold anything, but they close, too.
            '<' => angles += 1,
            '>' => angles = angles.saturating_sub(1),
            '(' if function[at..].starts_with(ANONYMOUS) => {
                at += ANONYMOUS.len();
                continue;
            }
            '(' if angles == 0 => return function[start..at].trim_end(),
            // What stands before a space is the result, unless arguments follow at once or nothing follows.
            ' ' if angles == 0 => {
                let rest = function[at..].trim_start();
                let ends = rest.is_empty() || rest.starts_with(['(', '[']);
                if ends && !rest.starts_with(ANONYMOUS) {
                    return &function[start..at];
                }
                start = function.len() - rest.len();
                at = start;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    &function[start..]
}

#[cfg(test)]
mod tests {
    use super::qualified;

    #[test]
    fn results_and_arguments_are_left_out() {
        for (function, name) in [
            ("art::gc::Heap::Trim", "art::gc::Heap::Trim"),
            ("art::gc::Heap::Trim(art::Thread*)", "art::gc::Heap::Trim"),
            ("void art::gc::Heap::Trim(art::Thread*) [clone .cfi]", "art::gc::Heap::Trim"),
            ("java.lang.Class.forName (Ljava/lang/String;)V", "java.lang.Class.forName"),
            ("void java.lang.Class.forName(java.lang.String)", "java.lang.Class.forName"),
            ("com.example.Foo.<clinit>", "com.example.Foo.<clinit>"),
            ("com.example.Foo.<clinit> ()V", "com.example.Foo.<clinit>"),
            ("a::B<c (d), e>::f(g)", "a::B<c (d), e>::f"),
            ("void a::B<c d>::f(g)", "a::B<c d>::f"),
            ("art::(anonymous namespace)::f(int)", "art::(anonymous namespace)::f"),
            ("unsigned long art::f(int)", "art::f"),
            ("", ""),
            (" ", ""),
            ("(", ""),
            ("größer (ä)", "größer"),
        ] {
            assert_eq!(qualified(function), name, "{function:?}");
        }
    }
}
