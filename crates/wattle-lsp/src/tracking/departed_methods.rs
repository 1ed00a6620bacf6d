//! Methods that ran in one file and are in another one now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::method_matching::{LEAST_DISTINCTIVE, follow};
use crate::source::{Declaration, DeclaredMethods, Language};

/// A file that changed since the commit that ran: both texts, `None` where it was not there.
#[derive(Clone, Debug, Default)]
pub struct ChangedFile {
    /// The file.
    pub path: PathBuf,
    /// The text at the commit.
    pub before: Option<String>,
    /// The text now.
    pub now: Option<String>,
}

/// A file as it ran, some of whose methods are not in it any more.
#[derive(Debug)]
pub struct DepartedFile {
    /// The text that ran.
    pub text: String,
    /// Its methods.
    pub methods: DeclaredMethods,
}

/// A method that came from another file.
#[derive(Clone, Debug)]
pub struct ArrivedMethod {
    /// Its place among the methods of the file that it is in now.
    pub now: usize,
    /// The file that it ran in.
    pub file: Arc<DepartedFile>,
    /// Its place among the methods of that file.
    pub at: usize,
}

/// Code without its own name, and whether it is a constructor's.
type CodeKey = (u64, bool);

/// The methods that changed files lost and got since the commit that ran.
#[derive(Debug, Default)]
pub struct DepartedMethods {
    /// The place of the code; `None` for code that several methods had.
    gone: FxHashMap<CodeKey, Option<(Arc<DepartedFile>, usize)>>,
    /// The files that got the code.
    arrived: FxHashMap<CodeKey, Vec<PathBuf>>,
}

impl DepartedMethods {
    /// Looks for methods that are in no text of their file any more, and for those that are new in theirs.
    pub fn new(files: impl IntoIterator<Item = ChangedFile>) -> Self {
        let mut found = Self::default();
        for ChangedFile { path, before, now } in files {
            let Some(language) = Language::of_path(&path).filter(|it| *it != Language::Native)
            else {
                continue;
            };
            let methods = |text: &Option<String>| {
                let text = text.as_deref().unwrap_or_default();
                DeclaredMethods::new(text, language, &path)
            };
            let (ran, is) = (methods(&before), methods(&now));
            let followed = follow(&ran, &is);
            let mut is_taken = vec![false; is.all.len()];
            for taken in followed.iter().flatten() {
                if let Some(slot) = is_taken.get_mut(taken.now) {
                    *slot = true;
                }
            }
            for (method, _) in is.all.iter().zip(&is_taken).filter(|(_, taken)| !**taken) {
                if let Some(key) = key(method) {
                    found.arrived.entry(key).or_default().push(path.clone());
                }
            }
            let gone: Vec<(usize, CodeKey)> = followed
                .iter()
                .zip(&ran.all)
                .enumerate()
                .filter_map(|(at, (followed, method))| {
                    Some((at, key(method)?)).filter(|_| followed.is_none())
                })
                .collect();
            if gone.is_empty() {
                continue;
            }
            let file = Arc::new(DepartedFile { text: before.unwrap_or_default(), methods: ran });
            for (at, key) in gone {
                let place = Some((Arc::clone(&file), at));
                found.gone.entry(key).and_modify(|known| *known = None).or_insert(place);
            }
        }
        found
    }

    /// The methods of a file that came from others: those whose code one file lost, and none but this one got. `is_open` says which
    /// methods of the file are none that it had.
    pub fn arrived_in(
        &self,
        path: &Path,
        now: &DeclaredMethods,
        is_open: impl Fn(usize) -> bool,
    ) -> Vec<ArrivedMethod> {
        let mut places: FxHashMap<CodeKey, Vec<usize>> = FxHashMap::default();
        for (at, method) in now.all.iter().enumerate().filter(|(at, _)| is_open(*at)) {
            if let Some(key) = key(method).filter(|key| self.gone.contains_key(key)) {
                places.entry(key).or_default().push(at);
            }
        }
        let arrived = places.into_iter().filter_map(|(key, places)| {
            let [now] = places.as_slice() else { return None };
            let (file, at) = self.gone.get(&key)?.as_ref()?;
            let others = self.arrived.get(&key).into_iter().flatten();
            let is_alone = others.filter(|other| other.as_path() != path).count() == 0;
            is_alone.then(|| ArrivedMethod { now: *now, file: Arc::clone(file), at: *at })
        });
        let mut arrived: Vec<ArrivedMethod> = arrived.collect();
        arrived.sort_by_key(|method| method.now);
        arrived
    }
}

/// The key of code that is long enough to be told apart from any other.
fn key(method: &Declaration) -> Option<CodeKey> {
    (method.code_size >= LEAST_DISTINCTIVE).then(|| (method.code, method.name == "<init>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: &str =
        "fun load(limit: Int): Int { var sum = limit * 2; sum += parse(sum, 7); return sum }";
    const SAVE: &str =
        "fun save(text: String) { val all = text.split(','); store(all.size, text.length) }";

    fn file(class: &str, methods: &[&str]) -> String {
        format!("package a\nclass {class} {{\n{}\n}}\n", methods.join("\n"))
    }

    fn changed(path: &str, before: Option<&str>, now: Option<&str>) -> ChangedFile {
        ChangedFile {
            path: PathBuf::from(path),
            before: before.map(str::to_owned),
            now: now.map(str::to_owned),
        }
    }

    /// Which methods of `B.kt` came from elsewhere.
    #[track_caller]
    fn check(files: Vec<ChangedFile>, now: &str, expected: &[&str]) {
        let departed = DepartedMethods::new(files);
        let now = DeclaredMethods::new(now, Language::Kotlin, Path::new("B.kt"));
        let found = departed.arrived_in(Path::new("B.kt"), &now, |_| true);
        let names: Vec<String> = found
            .iter()
            .map(|it| {
                format!(
                    "{} was {}",
                    now.all[it.now].qualified(),
                    it.file.methods.all[it.at].qualified()
                )
            })
            .collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn methods_are_followed_to_other_files_where_one_only_can_be_meant() {
        let (both, one) = (file("A", &[LOAD, SAVE]), file("A", &[SAVE]));
        let (empty, with) = (file("B", &[]), file("B", &[LOAD]));
        let of_a = || changed("A.kt", Some(&both), Some(&one));
        let of_b = || changed("B.kt", Some(&empty), Some(&with));
        check(vec![of_a(), of_b()], &with, &["a.B.load was a.A.load"]);
        // Not saved yet; in a new file; out of a file that is gone.
        check(vec![of_a()], &with, &["a.B.load was a.A.load"]);
        check(vec![of_a(), changed("B.kt", None, Some(&with))], &with, &["a.B.load was a.A.load"]);
        check(vec![changed("A.kt", Some(&both), None), of_b()], &with, &["a.B.load was a.A.load"]);
        // It was copied, it went to two files, it came from two.
        check(vec![changed("A.kt", Some(&both), Some(&both)), of_b()], &with, &[]);
        check(vec![of_a(), of_b(), changed("C.kt", None, Some(&file("C", &[LOAD])))], &with, &[]);
        check(vec![of_a(), of_b(), changed("C.kt", Some(&file("C", &[LOAD])), None)], &with, &[]);
        // It changed on the way.
        check(vec![of_a(), of_b()], &file("B", &[&LOAD.replace('7', "8")]), &[]);
    }
}
