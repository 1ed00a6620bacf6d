//! Shrunk Java methods, by their original names.

use rustc_hash::FxHashMap;
use wattle_retrace::{Inlined, Mapping};
use wattle_timeline::{CodeSite, NameId, Names, SiteId, SliceOrigin, Timeline};

use crate::{Place, Symbolised};

/// More names are not listed where a mapping cannot tell which it was.
const LISTED: usize = 4;
/// The marker that R8's retrace writes in front of another possibility.
const OR: &str = " <OR> ";

/// The original method, and whether that is sure.
pub(crate) struct Original {
    /// The innermost first.
    pub(crate) places: Vec<Place>,
    pub(crate) is_ambiguous: bool,
}

/// The original of a method as a frame names it; `None` where no mapping knows it, or nothing changes.
pub(crate) fn original(mappings: &[Mapping], place: &Place) -> Option<Original> {
    let (class, method) = java_method(&place.function)?;
    let mapping = mappings.iter().find(|it| it.has_class(class))?;
    let found = mapping.alternatives(class, method, place.line.or(place.pc));
    let renamed = |it: Inlined<'_>| Place {
        function: format!("{}.{}", it.class, it.name),
        file: mapping.source_of_original(it.class).map(str::to_owned),
        line: it.line,
        pc: None,
        kind: place.kind,
    };
    let methods = found.methods();
    let places: Vec<Place> = match methods.as_slice() {
        // A method that kept its name is not listed; its class may have another.
        [] if mapping.class(class) == class => return None,
        [] => {
            let class = mapping.class(class);
            let file = mapping.source_of_original(class).map(str::to_owned);
            vec![Place { function: format!("{class}.{method}"), file, ..place.clone() }]
        }
        // Several lines can fit, and the method be the same all the same.
        [one] if found.is_ambiguous() => vec![renamed(Inlined { line: None, ..*one })],
        [_] => found.frames().map(renamed).collect(),
        several => {
            let mut names: Vec<String> =
                several.iter().take(LISTED).map(|it| format!("{}.{}", it.class, it.name)).collect();
            if several.len() > LISTED {
                names.push("…".to_owned());
            }
            vec![Place { function: names.join(OR), kind: place.kind, ..Place::default() }]
        }
    };
    let changed = !matches!(places.as_slice(), [one] if one.function == place.function && one.line == place.line);
    let is_ambiguous = methods.len() > 1;
    changed.then_some(Original { places, is_ambiguous })
}

/// Class and method of `java.lang.String.length`; `None` for names of other languages.
fn java_method(function: &str) -> Option<(&str, &str)> {
    if function.contains("::") || function.contains([' ', '(', '/']) {
        return None;
    }
    function.rsplit_once('.').filter(|(class, method)| !class.is_empty() && !method.is_empty())
}

/// Gives the calls of a method trace, and the places in code that they point to, their original names. Calls that were put in each
/// other's place left no trace and stay invisible.
pub(crate) fn rename_calls(timeline: &mut Timeline, mappings: &[Mapping], done: &mut Symbolised) {
    let mut names: FxHashMap<(NameId, Option<SiteId>), NameId> = FxHashMap::default();
    for index in 0..timeline.code.slices.len() {
        if timeline.code.slices.origin_of(index) != SliceOrigin::MethodTrace {
            continue;
        }
        let site = timeline.code.slices.site_of(index);
        let Some(slot) = timeline.code.slices.name.get_mut(index) else { break };
        let key = (*slot, site);
        if let Some(known) = names.get(&key) {
            *slot = *known;
            continue;
        }
        let text = timeline.names.get(*slot).to_owned();
        let code = site.and_then(|site| timeline.code.sites.sites.get_mut(site.index()));
        let renamed = match code {
            Some(code) => rename_site(code, &text, &mut timeline.names, mappings, done),
            None => original(mappings, &Place::named(text)).and_then(|it| {
                done.ambiguous += u64::from(it.is_ambiguous);
                it.places.last().map(|place| place.function.clone())
            }),
        };
        if let Some(renamed) = renamed {
            *slot = timeline.names.intern(&renamed);
            done.renamed += 1;
        }
        names.insert(key, *slot);
    }
}

/// Renames a place in code. Returns what its calls are called then, if that is another name.
fn rename_site(
    site: &mut CodeSite,
    call: &str,
    names: &mut Names,
    mappings: &[Mapping],
    done: &mut Symbolised,
) -> Option<String> {
    let (class, method) = (names.get(site.class).to_owned(), names.get(site.method).to_owned());
    let mapping = mappings.iter().find(|it| it.has_class(&class))?;
    let old = format!("{class}.{method}");
    let descriptor = site.descriptor.map(|it| names.get(it).to_owned());
    // With its signature a method is told from others of its name.
    let exact = descriptor.as_ref().and_then(|it| mapping.retrace(&class, &method, it));
    let new = if let Some(exact) = exact.as_ref().and_then(|it| it.at(None)) {
        site.line = exact.line.or(site.line);
        format!("{}.{}", mapping.class(&class), exact.name)
    } else {
        let found = original(mappings, &Place::named(old.clone()))?;
        done.ambiguous += u64::from(found.is_ambiguous);
        found.places.into_iter().next_back()?.function
    };
    // Of several that it can have been the class is that of the mapping, and the method all of them.
    let (new_class, new_method) = if new.contains(OR) {
        (mapping.class(&class), new.as_str())
    } else {
        new.rsplit_once('.')?
    };
    site.class = names.intern(new_class);
    site.method = names.intern(new_method);
    site.file = mapping.source(&class).map(|file| names.intern(file)).or(site.file);
    site.descriptor = descriptor.map(|it| names.intern(&original_descriptor(mapping, &it)));
    // A call may be named with its parameters behind.
    let rest = call.strip_prefix(&old)?;
    (new != old).then(|| format!("{new}{rest}"))
}

/// A descriptor with the original names of classes.
fn original_descriptor(mapping: &Mapping, descriptor: &str) -> String {
    let mut text = String::new();
    let mut rest = descriptor;
    while let Some((before, after)) = rest.split_once('L') {
        let Some((class, behind)) = after.split_once(';') else { break };
        let original = mapping.class(&class.replace('/', ".")).replace('.', "/");
        text.push_str(before);
        text.push('L');
        text.push_str(&original);
        text.push(';');
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    const TEXT: &str = "\
com.x.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    1:1:void com.x.Log.write():7:7 -> b
    1:1:void run():20:20 -> b
    void foo(int) -> c
    void bar(int,int) -> c
com.x.Kept -> com.x.Kept:
";

    #[track_caller]
    fn check(function: &str, line: Option<u32>, expected: Option<&[&str]>) {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let place = Place { line, ..Place::named(function) };
        let found = original(&[mapping], &place);
        let text = |it: &Place| {
            let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{}{line}", it.function)
        };
        let found = found.map(|it| it.places.iter().map(text).collect::<Vec<_>>());
        assert_eq!(
            found.as_deref(),
            expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()).as_deref()
        );
    }

    #[test]
    fn frames() {
        check("a.a.b", Some(1), Some(&["com.x.Log.write:7", "com.x.Main.run:20"]));
        check("a.a.b", None, Some(&["com.x.Main.run"]));
        check("a.a.c", None, Some(&["com.x.Main.foo <OR> com.x.Main.bar"]));
        check("a.a.toString", None, Some(&["com.x.Main.toString"]));
        check("com.x.Kept.toString", None, None);
        check("a.b.c", None, None);
        check("std::a.a.b", None, None);
        check("main", None, None);
    }

    #[test]
    fn descriptors() {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let check = |text, expected| assert_eq!(original_descriptor(&mapping, text), expected);
        check("(La/a;[I[La/a;J)La/b;", "(Lcom/x/Main;[I[Lcom/x/Main;J)La/b;");
        check("()V", "()V");
        check("(L", "(L");
    }
}
