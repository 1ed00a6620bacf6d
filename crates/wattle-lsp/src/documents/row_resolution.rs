//! Which figure of a history is which method of a source file.

use rustc_hash::FxHashMap;

use crate::energy::{CallDetails, MethodName, MethodTable};
use crate::source::{Declaration, DeclarationKind, DeclaredMethods, descriptor_parameters};

/// The figures of the methods of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedRows {
    /// Rows of the table, by the methods of the file.
    pub rows: FxHashMap<usize, usize>,
    /// Rows of lambdas and anonymous classes, by the method that they are in.
    pub inner: FxHashMap<usize, Vec<usize>>,
}

/// The figures of methods of Java and Kotlin. A name that is ambiguous has none: a figure of several overloads is of no one of them.
pub fn resolve(methods: &DeclaredMethods, table: &MethodTable) -> ResolvedRows {
    let mut classes: FxHashMap<&str, FxHashMap<&str, Vec<usize>>> = FxHashMap::default();
    for (at, method) in methods.all.iter().enumerate() {
        let of_class = classes.entry(method.class.as_str()).or_default();
        of_class.entry(method.name.as_str()).or_default().push(at);
    }
    let mut found: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut of_companions: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut resolved = ResolvedRows::default();
    for (class, names) in &classes {
        let companion = classes.get(format!("{class}$Companion").as_str());
        let of_class = table.starting_with(&format!("{class}."));
        for row in of_class.chain(table.starting_with(&format!("{class}$"))) {
            let Some(name) = MethodName::new(table.name(row)).filter(|it| it.class == *class)
            else {
                continue;
            };
            let declared = match names.get(name.method) {
                Some(declared) => declared.as_slice(),
                // `internal` adds the module's name.
                None => match name.method.split_once('$').and_then(|(plain, _)| names.get(plain)) {
                    Some(declared) if !name.is_inner => declared.as_slice(),
                    _ => {
                        // `@JvmStatic`, and what an optimiser made of it.
                        let of_companion = companion.and_then(|names| names.get(name.method));
                        if let Some(declared) = of_companion.filter(|_| !name.is_inner)
                            && let Some(at) = fitting(&methods.all, declared, name)
                        {
                            of_companions.entry(at).or_default().push(row);
                        }
                        continue;
                    }
                },
            };
            if name.is_inner {
                if let [only] = declared {
                    resolved.inner.entry(*only).or_default().push(row);
                }
            } else if let Some(at) = fitting(&methods.all, declared, name) {
                found.entry(at).or_default().push(row);
            }
        }
    }
    // Where the companion has the method, the static one only calls it.
    for (at, rows) in of_companions {
        found.entry(at).or_insert(rows);
    }
    for (at, rows) in found {
        // What has two figures may be two methods.
        if let [only] = rows.as_slice() {
            resolved.rows.insert(at, *only);
        }
    }
    resolved
}

/// The one of several declarations of a name that a figure is of.
fn fitting(methods: &[Declaration], declared: &[usize], name: MethodName<'_>) -> Option<usize> {
    let is_named = |at: &usize| methods[*at].name == name.method || methods[*at].is_mangled;
    let named: Vec<usize> = declared.iter().copied().filter(is_named).collect();
    let Some(types) = name.descriptor.and_then(descriptor_parameters) else {
        return match named.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
    };
    let by_number: Vec<usize> =
        named.iter().copied().filter(|at| fits(&methods[*at], &types, may_be)).collect();
    if let [only] = by_number.as_slice() {
        return Some(*only);
    }
    let mut exact = by_number.iter().copied().filter(|at| fits(&methods[*at], &types, is_same));
    exact.next().filter(|_| exact.next().is_none())
}

fn fits(method: &Declaration, types: &[String], is_one: fn(&str, &str) -> bool) -> bool {
    let (declared, found) = (method.parameters.as_slice(), types.len());
    let all = |types: &[String]| declared.iter().zip(types).all(|(a, b)| is_one(a, b));
    match method.kind {
        DeclarationKind::Accessor => found <= 1,
        // An inner class gets its outer one first, a constant of an enumeration its name and number.
        DeclarationKind::Constructor => {
            let before = found.saturating_sub(declared.len());
            found >= declared.len() && before <= 2 && all(types.get(before..).unwrap_or_default())
        }
        // A suspended function has a continuation.
        DeclarationKind::Method => {
            (found == declared.len() || (method.is_mangled && found == declared.len() + 1))
                && all(types)
        }
    }
}

fn is_same(declared: &str, found: &str) -> bool {
    declared == found
}

/// Types of parameters may have other names there: variables, aliases, imports with a new name. Those of the language have none.
fn may_be(declared: &str, found: &str) -> bool {
    let is_plain = |name: &str| {
        let name = name.trim_end_matches("[]");
        name == "String" || name.starts_with(|it: char| it.is_ascii_lowercase())
    };
    declared == found || !is_plain(declared) || !is_plain(found)
}

/// The figures of native functions: by their names, where the lines that symbols state are in them.
pub fn resolve_native(
    methods: &DeclaredMethods,
    table: &MethodTable,
    (details, file_name): (&CallDetails, &str),
) -> ResolvedRows {
    let mut found: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for place in details.places_in(file_name) {
        let Some(row) = table.find(&place.function) else { continue };
        let demangled = demangled(&place.function);
        let simple = simple_name(&demangled);
        let [first, last] = place.lines;
        let contains = |method: &&(usize, &Declaration)| {
            let (start, end) = method.1.lines;
            method.1.name == simple && start < first && last <= end + 1
        };
        let all: Vec<(usize, &Declaration)> = methods.all.iter().enumerate().collect();
        let innermost = all.iter().filter(contains).min_by_key(|(_, method)| method.span.len());
        if let Some((at, _)) = innermost {
            found.entry(*at).or_default().push(row);
        }
    }
    let only = |(at, rows): (usize, Vec<usize>)| match rows.as_slice() {
        [only] => Some((at, *only)),
        _ => None,
    };
    ResolvedRows { rows: found.into_iter().filter_map(only).collect(), ..ResolvedRows::default() }
}

/// A symbol as people read it.
pub(crate) fn demangled(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    let is_mangled = name.starts_with("_Z");
    let cpp = is_mangled.then(|| cpp_demangle::Symbol::new(name).ok()).flatten();
    cpp.and_then(|symbol| symbol.demangle().ok()).unwrap_or_else(|| name.to_owned())
}

/// `load` of `ns::Feed<int>::load(int) const`.
fn simple_name(name: &str) -> &str {
    let mut depth = 0_usize;
    let mut end = name.len();
    for (at, letter) in name.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && at > 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let plain = name.get(..end).unwrap_or(name);
    let plain = plain.trim_end_matches("::{{closure}}");
    let plain = plain.split('<').next().filter(|it| !it.is_empty()).unwrap_or(plain);
    plain.rsplit([':', ' ', '*', '&']).next().unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wattle_units::{Estimate, Interval, Joules, Provenance};

    use super::*;
    use crate::digest::MethodRecord;
    use crate::source::Language;

    /// The methods of a text, with the names of their figures.
    #[track_caller]
    fn check(text: &str, rows: &[&str], expected: &[(&str, &str)]) {
        let methods = DeclaredMethods::new(text, Language::Kotlin, Path::new("A.kt"));
        let mut table = MethodTable::default();
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        for name in rows {
            let own = Estimate {
                joules: Joules::new(1.0),
                interval: Interval { low: Joules::new(1.0), high: Joules::new(1.0) },
                provenance: Provenance::Modelled,
            };
            let name = name.to_owned();
            assert!(table.push(&MethodRecord {
                name,
                calls: 1.0,
                runs: 1,
                own,
                total: own,
                changes: None
            }));
        }
        let resolved = resolve(&methods, &table);
        let mut found: Vec<(String, &str)> = resolved
            .rows
            .iter()
            .map(|(at, row)| (methods.all[*at].qualified(), table.name(*row)))
            .collect();
        found.sort_unstable();
        let found: Vec<(&str, &str)> = found.iter().map(|(at, row)| (at.as_str(), *row)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn static_methods_of_companions_are_theirs() {
        let text =
            "class Feed { fun load() = 1\n companion object { @JvmStatic fun parse() = 2 } }\n";
        check(
            text,
            &["Feed.load", "Feed.parse"],
            &[("Feed$Companion.parse", "Feed.parse"), ("Feed.load", "Feed.load")],
        );
        // The static one only calls the companion's.
        check(
            text,
            &["Feed$Companion.parse", "Feed.parse"],
            &[("Feed$Companion.parse", "Feed$Companion.parse")],
        );
        // What the class declares itself is its own.
        check(
            "class Feed { fun parse() = 1\n companion object { fun parse() = 2 } }\n",
            &["Feed.parse"],
            &[("Feed.parse", "Feed.parse")],
        );
    }

    #[test]
    fn functions_have_names_of_their_own() {
        for (name, simple) in [
            ("load", "load"),
            ("ns::Feed::load(int) const", "load"),
            ("void ns::sort<int>(int*)", "sort"),
            ("demo::parse", "parse"),
        ] {
            assert_eq!(simple_name(name), simple, "{name}");
        }
        assert_eq!(demangled("_ZN2ns4Feed4loadEi"), "ns::Feed::load(int)");
        assert_eq!(demangled("plain"), "plain");
    }
}
