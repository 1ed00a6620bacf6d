//! Runs of a history as commits in their order, and those that measure two commits again in turns.

use std::collections::HashMap;

use crate::GateRun;

/// The runs of a state of the code.
#[derive(Clone, Debug)]
pub(crate) struct CommitRuns<'r> {
    /// Its runs, the earliest first.
    pub runs: Vec<&'r GateRun>,
}

/// Runs of two commits that were made in turns.
#[derive(Clone, Debug)]
pub(crate) struct PairedRuns<'r> {
    /// The earlier commit, by its place in the series.
    pub before: usize,
    /// The later one.
    pub after: usize,
    /// A run of each.
    pub pairs: Vec<[&'r GateRun; 2]>,
}

/// The commits of a history in the order of their first runs, and behind them the one that is judged.
#[derive(Clone, Debug)]
pub(crate) struct CommitSeries<'r> {
    /// The commits; the last is the one that is judged.
    pub commits: Vec<CommitRuns<'r>>,
    /// Runs that measured a commit again after a later one, with those that the later one had then.
    pub reruns: Vec<PairedRuns<'r>>,
}

/// Identity of a state of the code; a run of which nothing is known is one of its own.
type CodeKey = (String, bool, Option<String>);

impl<'r> CommitSeries<'r> {
    /// The series of earlier runs, the oldest first, and of those that are judged.
    ///
    /// A commit that is measured again after a later one was is no new commit: together with the runs that the later one gets from then
    /// on, these are pairs. Commits whose first run is later than that of the judged one say nothing of what was before it.
    pub fn new(earlier: &[&'r GateRun], judged: &[&'r GateRun]) -> Self {
        let began = judged.iter().filter_map(|run| run.began_ms()).min();
        let is_before = |run: &&GateRun| match (run.began_ms(), began) {
            (Some(time), Some(began)) => time < began,
            _ => true,
        };
        let mut walk = Walk::default();
        for run in earlier.iter().copied().filter(is_before) {
            walk.take(run);
        }
        walk.pair();
        // From here on nobody but the judged commit is new.
        let mut later: Vec<(bool, &GateRun)> = judged.iter().map(|run| (true, *run)).collect();
        later.extend(earlier.iter().filter(|run| !is_before(run)).map(|run| (false, *run)));
        later.sort_by_key(|(_, run)| run.began_ms());
        walk.commits.push(CommitRuns { runs: Vec::new() });
        for (is_judged, run) in later {
            if is_judged {
                walk.take_of_newest(run);
            } else if let Some(at) = code_key(run).and_then(|key| walk.places.get(&key).copied()) {
                walk.again.push((at, run));
            }
        }
        walk.pair();
        Self { commits: walk.commits, reruns: walk.reruns }
    }
}

/// A walk over runs in the order of time.
#[derive(Default)]
struct Walk<'r> {
    commits: Vec<CommitRuns<'r>>,
    places: HashMap<CodeKey, usize>,
    reruns: Vec<PairedRuns<'r>>,
    /// Runs of earlier commits since the newest one began, and those of the newest one after the first of them.
    again: Vec<(usize, &'r GateRun)>,
    newest_again: Vec<&'r GateRun>,
}

impl<'r> Walk<'r> {
    fn take(&mut self, run: &'r GateRun) {
        let key = code_key(run);
        let known = key.as_ref().and_then(|key| self.places.get(key).copied());
        match known {
            Some(at) if at + 1 == self.commits.len() => self.take_of_newest(run),
            Some(at) => self.again.push((at, run)),
            None => {
                self.pair();
                if let Some(key) = key {
                    self.places.insert(key, self.commits.len());
                }
                self.commits.push(CommitRuns { runs: vec![run] });
            }
        }
    }

    fn take_of_newest(&mut self, run: &'r GateRun) {
        if !self.again.is_empty() {
            self.newest_again.push(run);
        } else if let Some(newest) = self.commits.last_mut() {
            newest.runs.push(run);
        }
    }

    /// Makes pairs of the runs that measured commits again. A commit measured again without the newest one says nothing of the newest.
    fn pair(&mut self) {
        let (again, newest) =
            (std::mem::take(&mut self.again), std::mem::take(&mut self.newest_again));
        let Some(after) = self.commits.len().checked_sub(1) else { return };
        let mut by_commit: Vec<PairedRuns<'r>> = Vec::new();
        for ((before, run), of_newest) in again.into_iter().zip(newest) {
            match by_commit.iter_mut().find(|pairs| pairs.before == before) {
                Some(pairs) => pairs.pairs.push([run, of_newest]),
                None => by_commit.push(PairedRuns { before, after, pairs: vec![[run, of_newest]] }),
            }
        }
        self.reruns.extend(by_commit);
    }
}

fn code_key(run: &GateRun) -> Option<CodeKey> {
    let (code, build) = (&run.facts.code, run.facts.labels.build.clone());
    let app = &run.facts.app;
    let version = || match (&app.version_name, app.version_code) {
        (None, None) => None,
        (name, number) => Some(format!("version {name:?} {number:?}")),
    };
    let state = code.commit.clone().or_else(version)?;
    Some((state, code.dirty == Some(true), build))
}

/// The name of a run's state of the code, for people: the commit, else the version, else the run.
pub(crate) fn code_name(run: &GateRun) -> String {
    const DIGITS: usize = 9;
    let (code, app) = (&run.facts.code, &run.facts.app);
    let short = |commit: &String| {
        let changed = if code.dirty == Some(true) { "+" } else { "" };
        format!("{}{changed}", commit.chars().take(DIGITS).collect::<String>())
    };
    let version =
        || app.version_name.clone().or_else(|| app.version_code.map(|code| code.to_string()));
    let name = code.commit.as_ref().map(short);
    name.or_else(|| version().map(|it| format!("version {it}"))).unwrap_or_else(|| run.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of a commit, an hour after the one before it.
    fn run(commit: &str, hour: i64) -> GateRun {
        let mut run = GateRun { name: format!("{commit}@{hour}"), ..GateRun::default() };
        run.facts.code.commit = Some(commit.to_owned());
        run.facts.circumstances.started_ms = Some(hour * 3_600_000);
        run
    }

    fn names(commits: &[CommitRuns<'_>]) -> Vec<Vec<String>> {
        commits.iter().map(|it| it.runs.iter().map(|run| run.name.clone()).collect()).collect()
    }

    #[test]
    fn commits_are_in_the_order_of_their_first_runs_and_runs_in_turns_are_pairs() {
        let earlier =
            [run("a", 1), run("a", 2), run("b", 3), run("a", 7), run("later", 8), run("a", 10)];
        let judged = [run("c", 5), run("c", 6), run("c", 9), run("c", 11), run("c", 12)];
        let (earlier, judged): (Vec<&GateRun>, Vec<&GateRun>) =
            (earlier.iter().collect(), judged.iter().collect());
        let series = CommitSeries::new(&earlier, &judged);
        assert_eq!(names(&series.commits), [vec!["a@1", "a@2"], vec!["b@3"], vec!["c@5", "c@6"]]);
        let [pairs] = series.reruns.as_slice() else { panic!("{:?}", series.reruns) };
        assert_eq!((pairs.before, pairs.after), (0, 2));
        let named: Vec<[&str; 2]> =
            pairs.pairs.iter().map(|[a, b]| [a.name.as_str(), b.name.as_str()]).collect();
        assert_eq!(named, [["a@7", "c@9"], ["a@10", "c@11"]]);
    }

    #[test]
    fn runs_without_code_are_commits_of_their_own() {
        let mut runs = [run("a", 1), run("b", 2), run("c", 3)];
        for run in &mut runs {
            run.facts.code.commit = None;
        }
        let earlier: Vec<&GateRun> = runs[..2].iter().collect();
        let series = CommitSeries::new(&earlier, &[&runs[2]]);
        assert_eq!(series.commits.len(), 3);
        assert!(series.reruns.is_empty());
    }
}
