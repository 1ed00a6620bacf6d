//! Arrows between the modules of a folder, and which of them go back.
//!
//! The modules that lie directly in one folder (the root of a crate, or a folder in it) are the nodes. There is one
//! arrow from `a` to `b` if any file of `a` or below it names something of `b`, by a path that begins with
//! `crate::`, `super::` or `self::`. A name that the folder's own file re-exports (`pub use b::Name`) counts as
//! `b`'s. Code for tests only is left out.
//!
//! ```text
//!     session ──► perfetto ──► packet        order: session, perfetto, packet
//!        ▲                       │
//!        └───────────────────────┘           packet ──► session goes back
//! ```
//!
//! The modules are put in an order in which as few arrows as possible point to an earlier one; those arrows *go
//! back*. Without cycles there are none. The order is found by a heuristic (Eades, Lin and Smyth 1993, then moving single
//! modules as long as that helps), the same one for the same input.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use super::rust_source::{Source, is_for_tests};

type ModulePath = Vec<String>;

/// The arrows between the modules of one folder.
pub struct Folder {
    pub package: String,
    /// Empty for the root of the crate.
    pub path: ModulePath,
    pub arrows: BTreeSet<(String, String)>,
    pub back: Vec<(String, String)>,
}

/// All folders of all crates that have arrows.
pub fn folders(sources: &[Source]) -> Vec<Folder> {
    let mut packages: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        packages.entry(&source.package).or_default().push(source);
    }
    packages
        .into_iter()
        .flat_map(|(package, sources)| folders_of_package(package, &sources))
        .collect()
}

fn folders_of_package(package: &str, sources: &[&Source]) -> Vec<Folder> {
    let mut references: Vec<(ModulePath, ModulePath)> = Vec::new();
    let mut exports = BTreeMap::new();
    let mut modules: BTreeSet<ModulePath> = BTreeSet::new();
    for source in sources {
        let (Some(module), Some(syntax)) = (source.module(), &source.syntax) else { continue };
        let mut visitor =
            Paths { module: module.clone(), found: BTreeSet::new(), exports: Vec::new() };
        visitor.visit_file(syntax);
        references.extend(visitor.found.into_iter().map(|path| (module.clone(), path)));
        for (name, path) in visitor.exports {
            exports.insert((module.clone(), name), path);
        }
        modules.insert(module);
    }
    let mut arrows: BTreeMap<ModulePath, BTreeSet<(String, String)>> = BTreeMap::new();
    for (from, to) in references {
        let Some((folder, a, b)) = arrow(&from, &to, &modules, &exports) else { continue };
        arrows.entry(folder).or_default().insert((a, b));
    }
    let folder = |(path, arrows): (ModulePath, BTreeSet<(String, String)>)| {
        let back = arrows_back(&arrows);
        Folder { package: package.to_owned(), path, arrows, back }
    };
    arrows.into_iter().map(folder).collect()
}

/// The arrow that a path in a module draws, in the innermost folder that both ends lie in.
fn arrow(
    from: &ModulePath,
    to: &ModulePath,
    modules: &BTreeSet<ModulePath>,
    exports: &BTreeMap<(ModulePath, String), ModulePath>,
) -> Option<(ModulePath, String, String)> {
    let mut to = to.clone();
    // Re-exports may lead to re-exports.
    for _ in 0..8 {
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let (folder, a, b) = (from[..common].to_vec(), from.get(common)?, to.get(common)?);
        let target = to[..=common].to_vec();
        if modules.contains(&target) {
            return Some((folder, a.clone(), b.clone()));
        }
        to.clone_from(exports.get(&(folder, b.clone()))?);
    }
    None
}

/// Collects the absolute paths that a file names, and what it re-exports.
struct Paths {
    module: ModulePath,
    found: BTreeSet<ModulePath>,
    exports: Vec<(String, ModulePath)>,
}

impl Paths {
    /// `crate::a`, `super::a` and `self::a` as paths from the root; `None` for all others.
    fn absolute(&self, segments: &[String]) -> Option<ModulePath> {
        let first = segments.first()?;
        let (mut path, mut rest) = match first.as_str() {
            "crate" => (Vec::new(), &segments[1..]),
            "self" => (self.module.clone(), &segments[1..]),
            "super" => (self.module.clone(), segments),
            _ => return None,
        };
        while rest.first().is_some_and(|segment| segment == "super") {
            path.pop()?;
            rest = &rest[1..];
        }
        path.extend(rest.iter().cloned());
        Some(path)
    }

    fn add(&mut self, segments: &[String]) {
        self.found.extend(self.absolute(segments));
    }

    fn add_use(&mut self, prefix: &mut Vec<String>, tree: &syn::UseTree, is_public: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use(prefix, &path.tree, is_public);
                prefix.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(prefix, tree, is_public);
                }
            }
            syn::UseTree::Name(name) => self.add_used(prefix, &name.ident, &name.ident, is_public),
            syn::UseTree::Rename(rename) => {
                self.add_used(prefix, &rename.ident, &rename.rename, is_public);
            }
            syn::UseTree::Glob(_) => self.add(prefix),
        }
    }

    fn add_used(&mut self, prefix: &[String], name: &syn::Ident, shown: &syn::Ident, public: bool) {
        let mut segments = prefix.to_vec();
        if name != "self" {
            segments.push(name.to_string());
        }
        self.add(&segments);
        // `pub use child::Name` and a private `use child::Name` both let children name it through this module.
        let target = self.absolute(&segments).or_else(|| {
            let relative = [self.module.clone(), segments].concat();
            public.then_some(relative)
        });
        self.exports.extend(target.map(|target| (shown.to_string(), target)));
    }

    /// Paths in the arguments of a macro, which are not syntax yet.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.add(&path);
                        path.clear();
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.add_tokens(group.stream());
                    colons = 0;
                }
                _ => colons = 0,
            }
        }
        self.add(&path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => return syn::visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // In a module's own file `use child::Name` is relative to it.
        self.add_use(&mut Vec::new(), &item.tree, true);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.add(&segments);
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_tokens(call.tokens.clone());
    }
}

/// The arrows against the best order that was found.
fn arrows_back(arrows: &BTreeSet<(String, String)>) -> Vec<(String, String)> {
    let order = improve(first_order(arrows), arrows);
    let place: BTreeMap<&str, usize> =
        order.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    arrows.iter().filter(|(a, b)| place[a.as_str()] > place[b.as_str()]).cloned().collect()
}

/// Takes away what nothing points to from the front, what points to nothing from the back, and between them the node
/// with the largest surplus of arrows that leave it.
fn first_order(arrows: &BTreeSet<(String, String)>) -> Vec<&str> {
    let mut left: BTreeSet<&str> = arrows.iter().flat_map(|(a, b)| [a.as_str(), b]).collect();
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let degree = |node: &str| {
            let inside =
                || arrows.iter().filter(|(a, b)| left.contains(&**a) && left.contains(&**b));
            let leaving = inside().filter(|(a, _)| a == node).count();
            let arriving = inside().filter(|(_, b)| b == node).count();
            (leaving, arriving)
        };
        let degrees: Vec<(&str, (usize, usize))> =
            left.iter().map(|node| (*node, degree(node))).collect();
        let chosen = if let Some((node, _)) = degrees.iter().find(|(_, degree)| degree.0 == 0) {
            back.push(*node);
            *node
        } else {
            let surplus = |degree: (usize, usize)| degree.0 as isize - degree.1 as isize;
            let source = degrees.iter().find(|(_, degree)| degree.1 == 0);
            let largest = degrees.iter().rev().max_by_key(|(_, degree)| surplus(*degree));
            let Some((node, _)) = source.or(largest) else { break };
            front.push(*node);
            *node
        };
        left.remove(chosen);
    }
    back.reverse();
    front.extend(back);
    front
}

/// Moves single nodes to better places while that lessens the arrows back.
fn improve<'a>(mut order: Vec<&'a str>, arrows: &BTreeSet<(String, String)>) -> Vec<&'a str> {
    loop {
        let mut is_better = false;
        for place in 0..order.len() {
            let node = order[place];
            // Arrows back that a move past each neighbour adds or takes away, summed while walking away from `place`.
            let gain = |other: &str, forwards: bool| {
                let has = |a: &str, b: &str| arrows.contains(&(a.to_owned(), b.to_owned()));
                let (out, into) = (isize::from(has(node, other)), isize::from(has(other, node)));
                if forwards { into - out } else { out - into }
            };
            let (mut best, mut best_place) = (0, place);
            let (mut later, mut earlier) = (0, 0);
            for (next, other) in order.iter().enumerate().skip(place + 1) {
                later += gain(other, true);
                if later > best {
                    (best, best_place) = (later, next);
                }
            }
            for (next, other) in order.iter().enumerate().take(place).rev() {
                earlier += gain(other, false);
                if earlier > best {
                    (best, best_place) = (earlier, next);
                }
            }
            if best > 0 {
                order.remove(place);
                order.insert(best_place, node);
                is_better = true;
            }
        }
        if !is_better {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::folders;
    use crate::house::rust_source::Source;
    use crate::repository::File;

    /// Arrows and arrows back of the folders of one crate, as `folder: all arrows | those back`.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let source = |(path, text): &(&str, &str)| {
            Source::from_file(File {
                path: format!("crates/x/src/{path}"),
                text: (*text).to_owned(),
            })
        };
        let sources: Vec<Source> = files.iter().map(source).collect();
        let show = |(a, b): &(String, String)| format!("{a}>{b}");
        let shown: Vec<String> = folders(&sources)
            .iter()
            .map(|folder| {
                let all: Vec<String> = folder.arrows.iter().map(show).collect();
                let back: Vec<String> = folder.back.iter().map(show).collect();
                format!("{}: {} | {}", folder.path.join("::"), all.join(" "), back.join(" "))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_chain_has_no_arrow_back() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; fn f() -> crate::c::C {}"),
            ("b.rs", "use super::c;"),
            ("c.rs", "#[cfg(test)] mod tests { use crate::a; }"),
        ];
        check(&files, &[": a>b a>c b>c | "]);
    }

    #[test]
    fn a_cycle_has_one_arrow_back() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::c;"),
            ("c.rs", "fn f() { println!(\"{}\", crate::a::A) }"),
        ];
        check(&files, &[": a>b b>c c>a | c>a"]);
    }

    #[test]
    fn re_exports_lead_to_their_module_and_folders_have_arrows_of_their_own() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::Name;"),
            ("a/mod.rs", "mod one; mod two; use one::One;"),
            ("a/one.rs", "use crate::Name; use super::two::Two;"),
            ("a/two.rs", "use super::One;"),
            ("b.rs", "pub struct Name;"),
        ];
        check(&files, &[": a>b | ", "a: one>two two>one | two>one"]);
    }
}
