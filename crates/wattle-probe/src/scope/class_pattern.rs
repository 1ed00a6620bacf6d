//! Patterns of class names.

use std::fmt;

/// A pattern of class names as Java writes them.
///
/// - `com.example` — that class with its inner classes, or that package and everything below it;
/// - `com.example.**` — the package and everything below it;
/// - `com.example.*` — the classes of that package alone;
/// - `*` inside a name stands for any characters but dots, `**` for any characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassPattern {
    text: String,
}

impl ClassPattern {
    /// Of a pattern's text; slashes and a descriptor's `L…;` are understood too.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let inner = text.strip_prefix('L').and_then(|text| text.strip_suffix(';'));
        Self { text: inner.unwrap_or(text).replace('/', ".") }
    }

    /// Whether a class, named as Java writes it (`com.example.Outer$Inner`), matches.
    pub fn matches(&self, class: &str) -> bool {
        let pattern = self.text.as_str();
        if !pattern.contains('*') {
            return class
                .strip_prefix(pattern)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']));
        }
        if let Some(prefix) = pattern.strip_suffix("**").filter(|prefix| !prefix.contains('*')) {
            return class.starts_with(prefix);
        }
        matches(pattern.as_bytes(), class.as_bytes())
    }
}

/// The position at which a pattern goes on behind a star, and the end of the star in the class's name.
type Star = Option<(usize, usize)>;

/// Backtracks to the last `*` or `**` only: linear in the product of the lengths.
fn matches(pattern: &[u8], class: &[u8]) -> bool {
    // For each kind of star: where the pattern goes on, and how far it has eaten.
    let (mut star, mut double): (Star, Star) = (None, None);
    let (mut at, mut eaten) = (0, 0);
    loop {
        let rest = pattern.get(at..).unwrap_or_default();
        if rest.starts_with(b"**") {
            at += 2;
            double = Some((at, eaten));
            star = None;
            continue;
        }
        if rest.starts_with(b"*") {
            at += 1;
            star = Some((at, eaten));
            continue;
        }
        match (rest.first(), class.get(eaten)) {
            (None, None) => return true,
            (Some(expected), Some(found)) if expected == found => {
                at += 1;
                eaten += 1;
                continue;
            }
            _ => {}
        }
        if let Some((next, from)) =
            star.filter(|&(_, from)| class.get(from).is_some_and(|&it| it != b'.'))
        {
            (at, eaten) = (next, from + 1);
            star = Some((next, from + 1));
        } else if let Some((next, from)) = double.filter(|&(_, from)| from < class.len()) {
            (at, eaten) = (next, from + 1);
            double = Some((next, from + 1));
            star = None;
        } else {
            return false;
        }
    }
}

impl fmt::Display for ClassPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::ClassPattern;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], other: &[&str]) {
        let pattern = ClassPattern::new(pattern);
        for class in matching {
            assert!(pattern.matches(class), "{pattern} must match {class}");
        }
        for class in other {
            assert!(!pattern.matches(class), "{pattern} must not match {class}");
        }
    }

    #[test]
    fn a_plain_name_is_a_class_or_a_package() {
        check(
            "com.example",
            &["com.example", "com.example.A", "com.example.b.C", "com.example$Inner"],
            &["com.examples.A", "org.com.example.A", "com.exampl"],
        );
    }

    #[test]
    fn stars_stop_at_dots() {
        check(
            "com.example.*",
            &["com.example.A", "com.example.A$B"],
            &["com.example.b.C", "com.example"],
        );
        check("com.*.A", &["com.x.A"], &["com.x.y.A", "com.x.B"]);
        check("*Activity", &["MainActivity"], &["com.example.MainActivity"]);
    }

    #[test]
    fn double_stars_do_not() {
        check(
            "com.example.**",
            &["com.example.A", "com.example.b.C"],
            &["com.examples.A", "com.example"],
        );
        check("**Activity", &["com.example.MainActivity", "Activity"], &["com.example.Activities"]);
        check("com.**.A*", &["com.x.y.Ab", "com.x.A.Ab"], &["com.x.y.Ba", "com.A"]);
        check("**", &["A", "a.b.C"], &[]);
    }

    #[test]
    fn descriptors_are_understood() {
        check("Lcom/example/A;", &["com.example.A"], &["com.example.B"]);
    }
}
