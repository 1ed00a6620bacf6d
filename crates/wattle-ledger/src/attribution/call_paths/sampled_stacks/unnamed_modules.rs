//! Files whose functions have no names: each is told apart from every other, and is one however many paths lead to it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, Timeline};

/// A path is shown with so many folders at most, else as a whole.
const MOST_PARTS: usize = 8;

/// Modules that frames without a function lie in.
#[derive(Debug, Default)]
pub(super) struct UnnamedModules {
    /// Of each path the one that stands for its module.
    same_as: FxHashMap<NameId, NameId>,
    /// The name of a module: as much of the end of its path as sets it apart.
    shown: FxHashMap<NameId, String>,
}

impl UnnamedModules {
    pub(super) fn new(timeline: &Timeline) -> Self {
        let samples = &timeline.code.samples;
        let mut paths: Vec<NameId> = samples
            .frames
            .iter()
            .filter(|frame| frame.function.is_none())
            .filter_map(|frame| frame.mapping)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        // Windows calls one file by several paths (`\SystemRoot\…`, `\Device\HarddiskVolume1\Windows\…`): of one name and one build they
        // are the same.
        let mut of_build: FxHashMap<(&str, NameId), NameId> = FxHashMap::default();
        let mut modules = Self::default();
        let mut builds: FxHashMap<NameId, Vec<NameId>> = FxHashMap::default();
        for (path, build) in &samples.build_ids {
            builds.entry(*path).or_default().push(*build);
        }
        let mut by_file: BTreeMap<&str, Vec<NameId>> = BTreeMap::default();
        for path in paths {
            let file = last_parts(timeline.names.get(path), 1);
            let builds = builds.get(&path).map(Vec::as_slice).unwrap_or_default();
            let known = builds.iter().find_map(|build| of_build.get(&(file, *build)).copied());
            let module = known.unwrap_or(path);
            for build in builds {
                of_build.entry((file, *build)).or_insert(module);
            }
            modules.same_as.insert(path, module);
            if module == path {
                by_file.entry(file).or_default().push(path);
            }
        }
        for paths in by_file.into_values() {
            let texts: Vec<&str> = paths.iter().map(|path| timeline.names.get(*path)).collect();
            let are_apart = |parts: &usize| {
                let mut ends: Vec<&str> = texts.iter().map(|it| last_parts(it, *parts)).collect();
                ends.sort_unstable();
                ends.windows(2).all(|pair| pair[0] != pair[1])
            };
            let parts = (1..=MOST_PARTS).find(are_apart).unwrap_or(usize::MAX);
            for (path, text) in paths.iter().zip(texts) {
                modules.shown.insert(*path, last_parts(text, parts).to_owned());
            }
        }
        modules
    }

    /// The path that stands for the module of another one.
    pub(super) fn module(&self, path: NameId) -> NameId {
        self.same_as.get(&path).copied().unwrap_or(path)
    }

    /// The name of a module.
    pub(super) fn shown(&self, module: NameId) -> Option<&str> {
        self.shown.get(&module).map(String::as_str)
    }
}

/// The end of a path of Unix or of Windows: so many of its parts.
fn last_parts(path: &str, parts: usize) -> &str {
    let mut ends = path.rmatch_indices(['/', '\\']).map(|(at, _)| at);
    let start = parts.checked_sub(1).and_then(|before| ends.nth(before));
    start.and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Frame;

    use super::*;

    /// The modules of paths with builds, as they are shown, and how many they are.
    fn shown(paths: &[(&str, &[&str])]) -> (Vec<String>, usize) {
        let mut timeline = Timeline::default();
        let mut mappings = Vec::new();
        for (path, builds) in paths {
            let mapping = timeline.names.intern(path);
            mappings.push(mapping);
            let frame = Frame { mapping: Some(mapping), ..Frame::default() };
            timeline.code.samples.frames.push(frame);
            for build in *builds {
                let build = timeline.names.intern(build);
                timeline.code.samples.build_ids.push((mapping, build));
            }
        }
        let modules = UnnamedModules::new(&timeline);
        let mut ids: Vec<NameId> = mappings.iter().map(|it| modules.module(*it)).collect();
        let names = ids.iter().map(|it| modules.shown(*it).unwrap().to_owned()).collect();
        ids.sort_unstable();
        ids.dedup();
        (names, ids.len())
    }

    #[track_caller]
    fn check(paths: &[(&str, &[&str])], expected: &[&str], count: usize) {
        let (names, modules) = shown(paths);
        assert_eq!(
            (names.iter().map(String::as_str).collect::<Vec<_>>(), modules),
            (expected.to_vec(), count)
        );
    }

    #[test]
    fn two_modules_are_never_one() {
        check(
            &[("/lib/libc.so", &[]), ("[kernel.kallsyms]", &[])],
            &["libc.so", "[kernel.kallsyms]"],
            2,
        );
        check(
            &[
                (r"\SystemRoot\System32\ntdll.dll", &["aa"]),
                (r"\SystemRoot\SysWOW64\ntdll.dll", &["bb"]),
            ],
            &[r"System32\ntdll.dll", r"SysWOW64\ntdll.dll"],
            2,
        );
        check(&[("/a/x/libc.so", &[]), ("/b/x/libc.so", &[])], &["a/x/libc.so", "b/x/libc.so"], 2);
        check(&[("x.so", &[]), ("/x.so", &[])], &["x.so", "/x.so"], 2);
        // Another file of the same build, as copies are, keeps its name.
        check(&[("/a/one.so", &["aa"]), ("/a/two.so", &["aa"])], &["one.so", "two.so"], 2);
    }

    #[test]
    fn one_module_is_one_by_whichever_path() {
        check(
            &[
                (r"\SystemRoot\System32\ntdll.dll", &["aa"]),
                (r"\SystemRoot\SysWOW64\ntdll.dll", &["bb"]),
                (r"\Device\HarddiskVolume1\Windows\System32\ntdll.dll", &["aa", "cc"]),
            ],
            &[r"System32\ntdll.dll", r"SysWOW64\ntdll.dll", r"System32\ntdll.dll"],
            2,
        );
    }
}
