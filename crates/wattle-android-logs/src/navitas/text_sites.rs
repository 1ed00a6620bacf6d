//! Places in code that lines of Navitas and Orka name: a class and a method, without parameters and result.

use wattle_timeline::{CodeSite, NameId, SiteId, SiteKind, TimelineBuilder};

/// The place of a method. `None` for a name without a class (the first Orka), or without a method (Navitas by classes).
pub(super) fn method(name: NameId, builder: &mut TimelineBuilder) -> Option<SiteId> {
    place(name, SiteKind::Method, None, None, builder)
}

/// The place of a call, in a method and on a line of it.
pub(super) fn call(
    name: NameId,
    line: Option<u32>,
    within: Option<SiteId>,
    builder: &mut TimelineBuilder,
) -> Option<SiteId> {
    place(name, SiteKind::Call, line, within, builder)
}

fn place(
    name: NameId,
    kind: SiteKind,
    line: Option<u32>,
    within: Option<SiteId>,
    builder: &mut TimelineBuilder,
) -> Option<SiteId> {
    let (class, method) = split(builder.names.get(name))?;
    let (class, method) = (class.to_owned(), method.to_owned());
    let (class, method) = (builder.names.intern(&class), builder.names.intern(&method));
    builder.code().code_site(CodeSite {
        kind,
        class,
        method,
        descriptor: None,
        file: None,
        line,
        within,
    })
}

/// `com.foo.Bar.baz`: class and method. Classes begin with a capital, packages do not; what methods begin with differs.
fn split(name: &str) -> Option<(&str, &str)> {
    // What Navitas of 2019 writes has the types of its parameters.
    let end = name.find('(').unwrap_or(name.len());
    let at = name.get(..end)?.rfind('.')?;
    let (class, method) = (name.get(..at)?, name.get(at + 1..)?);
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let simple = class.rsplit_once('.').map_or(class, |(_, simple)| simple);
    let is_class = is_capital(method) && !is_capital(simple);
    (!is_class && !class.is_empty() && !method.is_empty()).then_some((class, method))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_of_both_tools() {
        for (name, expected) in [
            ("com.foo.Bar.baz", Some(("com.foo.Bar", "baz"))),
            ("Bar$1.run", Some(("Bar$1", "run"))),
            ("Bar.<init>", Some(("Bar", "<init>"))),
            ("a.b.c", Some(("a.b", "c"))),
            ("com.foo.ScreenKt.Screen", Some(("com.foo.ScreenKt", "Screen"))),
            ("a.B.c(int, java.lang.Object)", Some(("a.B", "c(int, java.lang.Object)"))),
            ("com.foo.Bar", None),
            ("baz", None),
            (".baz", None),
            ("Bar.", None),
        ] {
            assert_eq!(split(name), expected, "{name}");
        }
    }
}
