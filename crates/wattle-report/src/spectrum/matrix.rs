//! The matrix of a spectrum.

use super::Counts;

/// Which parts of a program ran in which tests. Sparse: of a part only the tests in which it ran.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    /// By test, whether it stands out.
    outstanding: Vec<bool>,
    /// By part, the tests in which it ran, ascending, each once.
    parts: Vec<Vec<usize>>,
}

impl Spectrum {
    /// Of tests of which each stands out or does not, and no parts yet.
    pub fn new(outstanding: Vec<bool>) -> Self {
        Self { outstanding, parts: Vec::new() }
    }

    /// Adds a part that ran in these tests, in any order; tests that are not there are left out.
    pub fn part(&mut self, tests: impl IntoIterator<Item = usize>) {
        let known = self.outstanding.len();
        let mut tests: Vec<usize> = tests.into_iter().filter(|test| *test < known).collect();
        tests.sort_unstable();
        tests.dedup();
        self.parts.push(tests);
    }

    /// The tests that stand out in which each part ran.
    pub fn outstanding_of(&self, part: usize) -> impl Iterator<Item = usize> {
        let tests = self.parts.get(part).map(Vec::as_slice).unwrap_or_default();
        tests.iter().copied().filter(|test| self.outstanding[*test])
    }

    /// The counts of each part, in the order in which they were added.
    pub fn counts(&self) -> Vec<Counts> {
        let all = self.outstanding.iter().filter(|outstanding| **outstanding).count();
        let normal = self.outstanding.len() - all;
        let of = |tests: &Vec<usize>| {
            let e_f = tests.iter().filter(|test| self.outstanding[**test]).count();
            let e_p = tests.len() - e_f;
            Counts { e_f, e_p, n_f: all - e_f, n_p: normal - e_p }
        };
        self.parts.iter().map(of).collect()
    }
}
