//! Whose each call path is: which method's, which API's, which class's, which package's.

use std::collections::BTreeMap;

use wattle_ledger::{Ledger, PathEntry, SiteEntry};
use wattle_timeline::SiteKind;

use crate::model::CallTree;

/// The owner of paths that are nobody's: a thread's own root, and what is not shown.
pub(super) const NOBODY: u32 = u32::MAX;

/// A method, or slices of which only the name is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Method<'a> {
    /// `None` for slices of which only the name is known.
    pub class: Option<&'a str>,
    pub name: &'a str,
    pub descriptor: Option<&'a str>,
    pub file: Option<&'a str>,
    pub line: Option<u32>,
}

/// A method of the framework, with its entry in the ledger's sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api<'a> {
    pub class: &'a str,
    pub name: &'a str,
    pub descriptor: Option<&'a str>,
    pub entry: Option<usize>,
}

/// Things, and whose each path is: the thing's number, or [`NOBODY`].
#[derive(Debug)]
pub(super) struct Owners<T> {
    pub things: Vec<T>,
    pub of_path: Vec<u32>,
    /// Whose each of the ledger's places is.
    pub of_site: Vec<u32>,
}

/// Numbers things in the order in which they come.
struct Numbers<K> {
    ids: BTreeMap<K, u32>,
}

impl<K: Ord> Numbers<K> {
    fn new() -> Self {
        Self { ids: BTreeMap::new() }
    }

    fn id<T>(&mut self, key: K, things: &mut Vec<T>, thing: impl FnOnce() -> T) -> u32 {
        *self.ids.entry(key).or_insert_with(|| {
            things.push(thing());
            things.len() as u32 - 1
        })
    }
}

/// The place that a path is of.
pub(super) fn site<'a>(ledger: &'a Ledger, path: &PathEntry) -> Option<&'a SiteEntry> {
    ledger.rows.sites.get(path.site? as usize)
}

/// Whether a path is the time outside of any slice.
pub(super) fn is_root(path: &PathEntry) -> bool {
    path.caller.is_none() && path.name.is_empty()
}

impl<'a> Owners<Method<'a>> {
    /// A method owns its own paths and the calls that stand in it; what has no place in the code owns what bears its name. A call
    /// of which nobody knows where it stands belongs to the innermost method around it.
    pub fn methods(ledger: &'a Ledger, tree: &CallTree, shown: &[bool]) -> Self {
        let mut things = Vec::new();
        let mut places = Numbers::new();
        let mut names = Numbers::new();
        let of_site: Vec<u32> = ledger
            .rows
            .sites
            .iter()
            .map(|site| {
                if site.kind != SiteKind::Method {
                    return NOBODY;
                }
                let SiteEntry { class, method, descriptor, file, line, .. } = site;
                let descriptor = descriptor.as_deref();
                places.id((class, method, descriptor), &mut things, || Method {
                    class: Some(class),
                    name: method,
                    descriptor,
                    file: file.as_deref(),
                    line: *line,
                })
            })
            .collect();
        let method = |site: u32| of_site.get(site as usize).copied().unwrap_or(NOBODY);
        let mut around = vec![NOBODY; ledger.rows.paths.len()];
        let mut of_path = vec![NOBODY; ledger.rows.paths.len()];
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            let outer = tree.caller(at).map_or(NOBODY, |caller| around[caller]);
            let own = match (path.site, site(ledger, path)) {
                (Some(number), Some(site)) if site.kind == SiteKind::Method => method(number),
                (_, Some(site)) => match site.within.map_or(NOBODY, method) {
                    NOBODY => outer,
                    within => within,
                },
                _ => NOBODY,
            };
            around[at] = if own == NOBODY { outer } else { own };
            if !shown[at] || is_root(path) {
                continue;
            }
            of_path[at] = if own == NOBODY {
                let name = path.name.as_str();
                names.id(name, &mut things, || Method { name, ..Method::default() })
            } else {
                own
            };
        }
        Self { things, of_path, of_site }
    }

    /// The classes of methods, or the packages of those: `None` for slices of which only the name is known.
    pub fn grouped(
        &self,
        group: impl Fn(&'a str) -> &'a str,
    ) -> (Owners<Option<&'a str>>, Vec<u32>) {
        let mut things = Vec::new();
        let mut groups = Numbers::new();
        let of_method: Vec<u32> = self
            .things
            .iter()
            .map(|method| {
                let key = method.class.map(&group);
                groups.id(key, &mut things, || key)
            })
            .collect();
        let of = |owner: &u32| of_method.get(*owner as usize).copied().unwrap_or(NOBODY);
        let of_path = self.of_path.iter().map(of).collect();
        (Owners { things, of_path, of_site: Vec::new() }, of_method)
    }
}

impl<'a> Owners<Api<'a>> {
    /// The calls of a method of the framework are its own.
    pub fn apis(ledger: &'a Ledger, shown: &[bool]) -> Self {
        let mut things = Vec::new();
        let mut numbers = Numbers::new();
        for (entry, api) in ledger.sheets.apis.apis.iter().enumerate() {
            let descriptor = api.descriptor.as_deref();
            numbers.id((api.class.as_str(), api.method.as_str(), descriptor), &mut things, || {
                Api { class: &api.class, name: &api.method, descriptor, entry: Some(entry) }
            });
        }
        let of_site: Vec<u32> = ledger
            .rows
            .sites
            .iter()
            .map(|site| {
                if site.kind != SiteKind::Call {
                    return NOBODY;
                }
                let listed = site.api.and_then(|api| ledger.sheets.apis.apis.get(api as usize));
                let (class, name, descriptor) = match listed {
                    Some(api) => (&api.class, &api.method, api.descriptor.as_deref()),
                    None => (&site.class, &site.method, site.descriptor.as_deref()),
                };
                numbers.id((class.as_str(), name.as_str(), descriptor), &mut things, || Api {
                    class,
                    name,
                    descriptor,
                    entry: None,
                })
            })
            .collect();
        let of = |(path, shown): (&PathEntry, &bool)| match path.site {
            Some(site) if *shown => of_site.get(site as usize).copied().unwrap_or(NOBODY),
            _ => NOBODY,
        };
        let of_path = ledger.rows.paths.iter().zip(shown).map(of).collect();
        Self { things, of_path, of_site }
    }
}

/// The package of a class, empty for the default one.
pub(super) fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn the_package_is_what_stands_before_the_class() {
        assert_eq!(package("com.example.Main$1"), "com.example");
        assert_eq!(package("Main"), "");
    }
}
