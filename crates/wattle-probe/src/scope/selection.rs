//! Which classes are traced.

use super::ClassPattern;
use super::libraries::is_library;

/// Which classes are traced. Names are as Java writes them, before any shrinker renamed them where that is known.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Scope {
    /// Trace everything, libraries too. Default is not to.
    pub all: bool,
    /// Trace these; default (nothing) is the app's own packages.
    pub include: Vec<ClassPattern>,
    /// Never trace these. Default is nothing.
    pub exclude: Vec<ClassPattern>,
    /// The app's own packages; where none is known, everything is that belongs to no known library.
    pub own: Vec<ClassPattern>,
}

impl Scope {
    /// Whether a class is traced.
    pub fn contains(&self, class: &str) -> bool {
        if self.exclude.iter().any(|pattern| pattern.matches(class)) {
            return false;
        }
        if self.all {
            return true;
        }
        if !self.include.is_empty() {
            return self.include.iter().any(|pattern| pattern.matches(class));
        }
        if self.own.is_empty() {
            return !is_library(class);
        }
        self.own.iter().any(|pattern| pattern.matches(class))
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;
    use crate::ClassPattern;

    fn patterns(texts: &[&str]) -> Vec<ClassPattern> {
        texts.iter().map(|text| ClassPattern::new(text)).collect()
    }

    #[track_caller]
    fn check(scope: &Scope, inside: &[&str], outside: &[&str]) {
        for class in inside {
            assert!(scope.contains(class), "{class} must be inside of {scope:?}");
        }
        for class in outside {
            assert!(!scope.contains(class), "{class} must be outside of {scope:?}");
        }
    }

    #[test]
    fn the_default_is_what_no_library_has() {
        let scope = Scope::default();
        check(
            &scope,
            &["com.example.A", "a.a"],
            &["androidx.a.B", "kotlin.Unit", "com.google.a.B"],
        );
    }

    #[test]
    fn own_packages_are_the_default_where_they_are_known() {
        let scope = Scope { own: patterns(&["com.example"]), ..Scope::default() };
        check(&scope, &["com.example.A"], &["com.other.A", "androidx.a.B"]);
    }

    #[test]
    fn include_replaces_the_default_and_exclude_wins() {
        let scope = Scope {
            include: patterns(&["androidx.room.**"]),
            exclude: patterns(&["androidx.room.util"]),
            own: patterns(&["com.example"]),
            ..Scope::default()
        };
        check(&scope, &["androidx.room.A"], &["com.example.A", "androidx.room.util.B"]);
    }

    #[test]
    fn all_is_all_but_what_is_excluded() {
        let scope = Scope { all: true, exclude: patterns(&["a.b"]), ..Scope::default() };
        check(&scope, &["kotlin.Unit", "a.c.D"], &["a.b.C"]);
    }
}
