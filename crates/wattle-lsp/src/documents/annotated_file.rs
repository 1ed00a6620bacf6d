//! Figures beside the methods of a file.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::row_resolution::{ResolvedRows, resolve, resolve_native};
use crate::energy::{CallDetails, GroupEnergies, RunLine};
use crate::source::{Declaration, DeclaredMethods, Language};
use crate::tracking::{
    ArrivedMethod, DepartedFile, DepartedMethods, FollowedMethod, Freshness, LineMap,
    contains_word, follow,
};

/// The methods of a file as it is and as it ran, and which is which.
#[derive(Clone, Debug, Default)]
pub struct FileVersions {
    /// The methods of the text that ran; `None` where that is unknown.
    before: Option<DeclaredMethods>,
    /// The methods of the text as it is.
    pub now: DeclaredMethods,
    /// The present places of those that ran.
    followed: Vec<Option<FollowedMethod>>,
    /// Those that ran in other files.
    arrived: Vec<ArrivedMethod>,
}

/// A figure beside a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMethod {
    /// The method, a place in [`FileVersions::now`].
    pub method: usize,
    /// Its figures, a row of the group's table.
    pub row: usize,
    /// Rows of lambdas and anonymous classes in it.
    pub inner: Vec<usize>,
    /// Whether the figure is of this very code.
    pub freshness: Freshness,
    /// Class and name when it ran, where they were others.
    pub was: Option<String>,
}

/// A figure beside a line that calls something.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedLine {
    /// The line, from 0.
    pub line: u32,
    /// The line as it ran, with its figure.
    pub run_line: RunLine,
    /// Whether its method is this very code.
    pub freshness: Freshness,
}

/// Figures of one group of runs beside the methods of a file.
#[derive(Clone, Debug, Default)]
pub struct AnnotatedFile {
    /// Methods with figures, in order of lines.
    pub methods: Vec<PlacedMethod>,
    /// Lines with calls that have figures, in order.
    pub lines: Vec<PlacedLine>,
    /// Places in [`Self::methods`], by method.
    places: FxHashMap<usize, usize>,
}

/// A text that ran, with the rows of its methods.
#[derive(Clone, Copy)]
struct RunVersion<'v> {
    methods: &'v DeclaredMethods,
    text: &'v str,
    resolved: &'v ResolvedRows,
}

impl FileVersions {
    /// The versions of a file.
    pub fn new(path: &Path, language: Language, (before, now): (Option<&str>, &str)) -> Self {
        let before = before.map(|text| DeclaredMethods::new(text, language, path));
        let now = DeclaredMethods::new(now, language, path);
        let followed = before.as_ref().map_or_else(Vec::new, |before| follow(before, &now));
        Self { before, now, followed, arrived: Vec::new() }
    }

    /// The same with another text as it is.
    pub fn update(&mut self, path: &Path, language: Language, now: &str) {
        self.now = DeclaredMethods::new(now, language, path);
        self.followed =
            self.before.as_ref().map_or_else(Vec::new, |before| follow(before, &self.now));
        self.arrived.clear();
    }

    /// Whether the file has methods that it did not have when it was measured.
    pub fn has_new_methods(&self) -> bool {
        let found = self.followed.iter().flatten().count();
        found < self.now.all.len()
    }

    /// Follows methods that came from other files.
    pub fn follow_from(&mut self, departed: &DepartedMethods, path: &Path) {
        let mut is_open = vec![true; self.now.all.len()];
        for found in self.followed.iter().flatten() {
            if let Some(slot) = is_open.get_mut(found.now) {
                *slot = false;
            }
        }
        let is_open = |at: usize| is_open.get(at) == Some(&true);
        self.arrived = departed.arrived_in(path, &self.now, is_open);
    }

    /// The method that had this class and name when it ran, as it is now; `None` where several had it, or it is gone.
    pub fn find(&self, class: &str, name: &str) -> Option<(&Declaration, Freshness)> {
        let (ran, followed) = self.ran(true);
        let is_it = |method: &Declaration| method.class == class && method.name == name;
        let came = self.arrived.iter().find(|it| it.file.methods.all.get(it.at).is_some_and(is_it));
        if let Some(came) = came {
            return Some((self.now.all.get(came.now)?, Freshness::Moved));
        }
        let is_named = |(_, method): &(usize, &Declaration)| is_it(method);
        let mut found = ran.all.iter().enumerate().filter(is_named);
        let (at, _) = found.next().filter(|_| found.next().is_none())?;
        let followed = followed.get(at).copied().flatten()?;
        Some((self.now.all.get(followed.now)?, followed.freshness))
    }

    /// The methods that figures are of, and where each is now.
    fn ran(&self, is_committed: bool) -> (&DeclaredMethods, Vec<Option<FollowedMethod>>) {
        if let Some(before) = &self.before {
            let unsure = |found: FollowedMethod| FollowedMethod {
                // Files that were changed and not committed may have been this one.
                freshness: if is_committed { found.freshness } else { Freshness::Unverified },
                ..found
            };
            (before, self.followed.iter().map(|found| found.map(unsure)).collect())
        } else {
            let itself = |now| {
                let is_other = self.arrived.iter().any(|it| it.now == now);
                (!is_other).then_some(FollowedMethod { now, freshness: Freshness::Unverified })
            };
            (&self.now, (0..self.now.all.len()).map(itself).collect())
        }
    }
}

impl AnnotatedFile {
    /// The figures of a group beside the methods of a file.
    pub fn new(
        (path, language): (&Path, Language),
        versions: &FileVersions,
        (before_text, now_text): (Option<&str>, &str),
        (group, details): (&GroupEnergies, Option<&CallDetails>),
    ) -> Self {
        let (ran, followed) = versions.ran(group.is_committed());
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let resolved = match (language, details) {
            (Language::Native, Some(details)) => {
                resolve_native(ran, &group.methods, (details, name))
            }
            (Language::Native, None) => ResolvedRows::default(),
            _ => resolve(ran, &group.methods),
        };
        let mut file = Self::default();
        let before_text = before_text.unwrap_or(now_text);
        let run = RunVersion { methods: ran, text: before_text, resolved: &resolved };
        let found = followed.iter().enumerate().filter_map(|(at, found)| Some((at, (*found)?)));
        file.place(run, found, (versions, now_text), details);
        // Resolved once for each file that they came from.
        let mut others: Vec<(&DepartedFile, ResolvedRows)> = Vec::new();
        let moved = if group.is_committed() { Freshness::Moved } else { Freshness::Unverified };
        for came in &versions.arrived {
            let known = others
                .iter()
                .position(|(file, _)| std::ptr::eq(*file, std::sync::Arc::as_ptr(&came.file)));
            let at = known.unwrap_or_else(|| {
                others.push((&came.file, resolve(&came.file.methods, &group.methods)));
                others.len() - 1
            });
            let Some((from, resolved)) = others.get(at) else { continue };
            let run = RunVersion { methods: &from.methods, text: &from.text, resolved };
            let found = FollowedMethod { now: came.now, freshness: moved };
            file.place(run, [(came.at, found)], (versions, now_text), details);
        }
        file.methods.sort_by_key(|it| (versions.now.all[it.method].line, it.method));
        file.lines.sort_by_key(|it| it.line);
        file.places = file.methods.iter().enumerate().map(|(at, it)| (it.method, at)).collect();
        file
    }

    /// Places the figures of methods that ran in one text.
    fn place(
        &mut self,
        run: RunVersion<'_>,
        found: impl IntoIterator<Item = (usize, FollowedMethod)>,
        (versions, now_text): (&FileVersions, &str),
        details: Option<&CallDetails>,
    ) {
        let mut lines: Option<[Vec<&str>; 2]> = None;
        for (at, found) in found {
            let Some(row) = run.resolved.rows.get(&at) else { continue };
            let (Some(was), Some(is)) = (run.methods.all.get(at), versions.now.all.get(found.now))
            else {
                continue;
            };
            let is_renamed = was.class != is.class || was.name != is.name;
            self.methods.push(PlacedMethod {
                method: found.now,
                row: *row,
                inner: run.resolved.inner.get(&at).cloned().unwrap_or_default(),
                freshness: found.freshness,
                was: is_renamed.then(|| was.qualified()),
            });
            let run_lines = details.map(|details| details.lines_of(*row)).unwrap_or_default();
            if run_lines.is_empty() {
                continue;
            }
            let [before, now] = lines
                .get_or_insert_with(|| [run.text.lines().collect(), now_text.lines().collect()]);
            let (was, is) = (was.lines, is.lines);
            let map = LineMap::new((before, was.0..was.1 + 1), (now, is.0..is.1 + 1));
            for run_line in run_lines {
                // A line that calls something names it; the map could be of another version of the file.
                let names_it = |line: u32| {
                    let text = now.get(line as usize).copied().unwrap_or_default();
                    run_line.callees.iter().any(|callee| names(text, callee))
                };
                if let Some(line) = map.place(run_line.line).filter(|line| names_it(*line)) {
                    let (run_line, freshness) = (run_line.clone(), found.freshness);
                    self.lines.push(PlacedLine { line, run_line, freshness });
                }
            }
        }
    }

    /// The figure of a method, by its place in [`FileVersions::now`].
    pub fn of_method(&self, method: usize) -> Option<&PlacedMethod> {
        self.places.get(&method).and_then(|at| self.methods.get(*at))
    }
}

/// Whether a line names what it calls: Kotlin calls accessors by the names of their properties.
fn names(line: &str, callee: &str) -> bool {
    let plain = callee.split('$').next().filter(|it| !it.is_empty()).unwrap_or(callee);
    let property = plain.strip_prefix("get").or_else(|| plain.strip_prefix("set"));
    let mut letters = property.unwrap_or_default().chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    contains_word(line, plain) || contains_word(line, &format!("{first}{}", letters.as_str()))
}
