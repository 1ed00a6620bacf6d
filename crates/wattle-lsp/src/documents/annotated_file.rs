//! Figures beside the methods of a file.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::row_resolution::{ResolvedRows, resolve, resolve_native};
use crate::energy::{CallDetails, GroupEnergies, RunLine};
use crate::source::{Declaration, DeclaredMethods, Language};
use crate::tracking::{FollowedMethod, Freshness, LineMap, contains_word, follow};

/// The methods of a file as it is and as it ran, and which is which.
#[derive(Clone, Debug, Default)]
pub struct FileVersions {
    /// The methods of the text that ran; `None` where that is unknown.
    before: Option<DeclaredMethods>,
    /// The methods of the text as it is.
    pub now: DeclaredMethods,
    /// The present places of those that ran.
    followed: Vec<Option<FollowedMethod>>,
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

impl FileVersions {
    /// The versions of a file.
    pub fn new(path: &Path, language: Language, (before, now): (Option<&str>, &str)) -> Self {
        let before = before.map(|text| DeclaredMethods::new(text, language, path));
        let now = DeclaredMethods::new(now, language, path);
        let followed = before.as_ref().map_or_else(Vec::new, |before| follow(before, &now));
        Self { before, now, followed }
    }

    /// The same with another text as it is.
    pub fn update(&mut self, path: &Path, language: Language, now: &str) {
        self.now = DeclaredMethods::new(now, language, path);
        self.followed =
            self.before.as_ref().map_or_else(Vec::new, |before| follow(before, &self.now));
    }

    /// The method that had this class and name when it ran, as it is now; `None` where several had it, or it is gone.
    pub fn find(&self, class: &str, name: &str) -> Option<(&Declaration, Freshness)> {
        let (ran, followed) = self.ran(true);
        let is_named =
            |(_, method): &(usize, &Declaration)| method.class == class && method.name == name;
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
            let itself = |now| Some(FollowedMethod { now, freshness: Freshness::Unverified });
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
        for (at, found) in followed.iter().enumerate() {
            let (Some(found), Some(row)) = (found, resolved.rows.get(&at)) else { continue };
            let (was, is) = (&ran.all[at], &versions.now.all[found.now]);
            let is_renamed = was.class != is.class || was.name != is.name;
            file.methods.push(PlacedMethod {
                method: found.now,
                row: *row,
                inner: resolved.inner.get(&at).cloned().unwrap_or_default(),
                freshness: found.freshness,
                was: is_renamed.then(|| was.qualified()),
            });
        }
        if let Some(details) = details {
            let before: Vec<&str> = before_text.unwrap_or(now_text).lines().collect();
            let now: Vec<&str> = now_text.lines().collect();
            for (at, found) in followed.iter().enumerate() {
                let (Some(found), Some(row)) = (found, resolved.rows.get(&at)) else { continue };
                let lines = details.lines_of(*row);
                if lines.is_empty() {
                    continue;
                }
                let (was, is) = (ran.all[at].lines, versions.now.all[found.now].lines);
                let map = LineMap::new((&before, was.0..was.1 + 1), (&now, is.0..is.1 + 1));
                for run_line in lines {
                    // A line that calls something names it; the map could be of another version of the file.
                    let names_it = |line: u32| {
                        let text = now.get(line as usize).copied().unwrap_or_default();
                        run_line.callees.iter().any(|callee| names(text, callee))
                    };
                    if let Some(line) = map.place(run_line.line).filter(|line| names_it(*line)) {
                        let (run_line, freshness) = (run_line.clone(), found.freshness);
                        file.lines.push(PlacedLine { line, run_line, freshness });
                    }
                }
            }
        }
        file.methods.sort_by_key(|it| (versions.now.all[it.method].line, it.method));
        file.lines.sort_by_key(|it| it.line);
        file.places = file.methods.iter().enumerate().map(|(at, it)| (it.method, at)).collect();
        file
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
