//! Choosing tests by name.

use std::fmt;

use crate::DeviceError;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestName {
    /// Its class, in full.
    pub class: String,
    /// Its method.
    pub method: String,
}

impl fmt::Display for TestName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}#{}", self.class, self.method)
    }
}

/// A filter of tests: patterns `Class` or `Class#method`, with `*` for anything.
///
/// Written `com.foo.BarTest#one,two;com.foo.BazTest`: methods of one class are separated by `,` or `:`, classes by `;` or
/// by `,` where what follows has a `#` or a dot. A class without a dot is meant in any package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestFilter {
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    class: String,
    /// `None`: all of the class.
    method: Option<String>,
}

impl TestFilter {
    /// One that means all tests.
    pub const ALL: Self = Self { patterns: Vec::new() };

    /// Reads patterns.
    ///
    /// # Errors
    /// [`DeviceError::Plan`] if a name is missing or has characters that no name has.
    pub fn parse(text: &str) -> Result<Self, DeviceError> {
        let mut patterns: Vec<Pattern> = Vec::new();
        for group in text.split(';').map(str::trim).filter(|group| !group.is_empty()) {
            let mut class: Option<&str> = None;
            for piece in group.split([',', ':']).map(str::trim) {
                if let Some((of, method)) = piece.split_once('#') {
                    class = Some(of);
                    patterns.push(Pattern::new(text, of, Some(method))?);
                } else if let Some(of) = class.filter(|_| !piece.contains('.')) {
                    patterns.push(Pattern::new(text, of, Some(piece))?);
                } else {
                    class = None;
                    patterns.push(Pattern::new(text, piece, None)?);
                }
            }
        }
        Ok(Self { patterns })
    }

    /// Whether all tests are meant.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the names of the tests must be known to say which are meant: `am instrument` itself knows only full names.
    pub fn needs_names(&self) -> bool {
        self.patterns.iter().any(|pattern| {
            !pattern.class.contains('.')
                || pattern.class.contains('*')
                || pattern.method.as_ref().is_some_and(|method| method.contains('*'))
        })
    }

    /// Whether a test is meant.
    pub fn matches(&self, test: &TestName) -> bool {
        self.is_all() || self.patterns.iter().any(|pattern| pattern.matches(test))
    }

    /// Those of the tests that are meant, as patterns of full names.
    ///
    /// # Errors
    /// [`DeviceError::Plan`] for a pattern that means none of them, with the names there are.
    pub fn resolve(&self, tests: &[TestName]) -> Result<Self, DeviceError> {
        for pattern in &self.patterns {
            if !tests.iter().any(|test| pattern.matches(test)) {
                let there: Vec<String> = tests.iter().take(20).map(ToString::to_string).collect();
                return Err(DeviceError::Plan(format!(
                    "no test is called {pattern}; there are {}: {}{}",
                    tests.len(),
                    there.join(", "),
                    if tests.len() > there.len() { " …" } else { "" }
                )));
            }
        }
        let chosen = tests.iter().filter(|test| self.matches(test));
        let full = |test: &TestName| Pattern {
            class: test.class.clone(),
            method: Some(test.method.clone()),
        };
        Ok(Self { patterns: chosen.map(full).collect() })
    }

    /// The value of `-e class`; `None` where all are meant.
    pub fn argument(&self) -> Option<String> {
        let names: Vec<String> = self.patterns.iter().map(ToString::to_string).collect();
        (!names.is_empty()).then(|| names.join(","))
    }
}

impl Pattern {
    fn new(text: &str, class: &str, method: Option<&str>) -> Result<Self, DeviceError> {
        let is_name = |name: &str| {
            // Names of tests in Kotlin may hold spaces and brackets; what cannot be in any name is a control character.
            !name.is_empty() && !name.contains(['#', '/']) && !name.chars().any(char::is_control)
        };
        if !is_name(class) || !method.is_none_or(is_name) {
            return Err(DeviceError::Plan(format!(
                "tests are chosen as Class#method,method;Class, but found {text:?}"
            )));
        }
        Ok(Self { class: class.to_owned(), method: method.map(str::to_owned) })
    }

    fn matches(&self, test: &TestName) -> bool {
        let simple = test.class.rsplit('.').next().unwrap_or_default();
        let class = glob(&self.class, &test.class)
            || !self.class.contains('.') && glob(&self.class, simple);
        class && self.method.as_ref().is_none_or(|method| glob(method, &test.method))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.method {
            Some(method) => write!(to, "{}#{method}", self.class),
            None => to.write_str(&self.class),
        }
    }
}

/// Whether a text is of a form in which `*` stands for anything. Linear but for going back to the last `*`.
fn glob(form: &str, text: &str) -> bool {
    let mut parts = form.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &[&str] =
        &["a.b.OneTest#first", "a.b.OneTest#second", "a.c.TwoTest#first", "a.c.TwoTest#with space"];

    fn names() -> Vec<TestName> {
        let name = |text: &&str| {
            let (class, method) = text.split_once('#').expect("a name");
            TestName { class: class.to_owned(), method: method.to_owned() }
        };
        TESTS.iter().map(name).collect()
    }

    #[track_caller]
    fn check(filter: &str, expected: Result<&[&str], &str>) {
        let found = TestFilter::parse(filter).and_then(|filter| {
            let resolved = filter.resolve(&names())?;
            // What is resolved means the same and needs no names any more.
            assert!(!resolved.needs_names());
            Ok(resolved.argument())
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => {
                let expected = (!expected.is_empty()).then(|| expected.join(","));
                assert_eq!(found, expected);
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{filter}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn tests_are_chosen_by_class_and_method() {
        check("a.b.OneTest", Ok(&TESTS[..2]));
        check("a.b.OneTest#second", Ok(&TESTS[1..2]));
        check("a.b.OneTest#first,second", Ok(&TESTS[..2]));
        check("a.b.OneTest#first:second,a.c.TwoTest#first", Ok(&TESTS[..3]));
        check("OneTest", Ok(&TESTS[..2]));
        check("OneTest;TwoTest", Ok(TESTS));
        check("a.b.*", Ok(&TESTS[..2]));
        check("*#first", Ok(&["a.b.OneTest#first", "a.c.TwoTest#first"]));
        check("TwoTest#with space", Ok(&TESTS[3..]));
        check("a.b.OneTest,a.c.TwoTest", Ok(TESTS));
    }

    #[test]
    fn what_means_nothing_is_said() {
        check("Three", Err("no test is called Three; there are 4"));
        check("OneTest#third", Err("no test is called OneTest#third"));
        check("#x", Err("Class#method"));
        check("a.B#", Err("Class#method"));
        check("a.B#x#y", Err("Class#method"));
    }

    #[test]
    fn all_is_no_argument() {
        let all = TestFilter::parse("").expect("nothing");
        assert!(all.is_all() && !all.needs_names() && all.argument().is_none());
    }

    #[test]
    fn stars_stand_for_anything() {
        for (form, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*a", "a", false),
            ("a*b*c", "axbxc", true),
            ("a*b*c", "acb", false),
            ("abc", "abcd", false),
        ] {
            assert_eq!(glob(form, text), expected, "{form} {text}");
        }
    }
}
