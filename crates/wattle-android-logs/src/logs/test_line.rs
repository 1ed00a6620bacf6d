//! Lines that `AndroidJUnitRunner` logs about its tests (tag `TestRunner`, `LogRunListener` of androidx.test):
//! `started: method(class)`, `finished: …`, `failed: …`, `assumption failed: …`, `ignored: …`.

/// Event in the life of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestWord {
    Started,
    Finished,
    Failed,
    AssumptionFailed,
    Ignored,
}

/// Reads a line: what happened, and the test as `class#method`.
pub(crate) fn parse(message: &[u8]) -> Option<(TestWord, String)> {
    let text = std::str::from_utf8(message).ok()?;
    let (word, rest) = text.split_once(": ")?;
    let word = match word {
        "started" => TestWord::Started,
        "finished" => TestWord::Finished,
        "failed" => TestWord::Failed,
        "assumption failed" => TestWord::AssumptionFailed,
        "ignored" => TestWord::Ignored,
        _ => return None,
    };
    // Names of parameterised tests may hold parentheses of their own.
    let (method, class) = rest.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let is_class = !class.is_empty() && !class.contains(char::is_whitespace);
    (is_class && !method.is_empty()).then(|| (word, format!("{class}#{method}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: Option<(TestWord, &str)>) {
        let found = parse(message.as_bytes());
        assert_eq!(found.as_ref().map(|(word, name)| (*word, name.as_str())), expected);
    }

    #[test]
    fn lines_of_the_runner() {
        check("started: sorts(com.x.FooTest)", Some((TestWord::Started, "com.x.FooTest#sorts")));
        check("finished: a[0: (b)](com.x.Foo)", Some((TestWord::Finished, "com.x.Foo#a[0: (b)]")));
        check("failed: a(com.x.Foo)", Some((TestWord::Failed, "com.x.Foo#a")));
        check("assumption failed: a(c)", Some((TestWord::AssumptionFailed, "c#a")));
        check("ignored: a(c)", Some((TestWord::Ignored, "c#a")));
        check("run started: 3 tests", None);
        check("started: null", None);
        check("----- begin exception -----", None);
    }
}
