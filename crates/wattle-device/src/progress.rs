//! Being told how the work goes.

use wattle_recording::TestFacts;

/// Somebody who watches: a terminal, a log. Called from the thread that works; must return at once.
pub trait Progress: Send + Sync {
    /// A part of the work begins (`prepare`, `scenario`). `iteration` is (number from 0, how many) where it belongs
    /// to one.
    fn stage(&self, name: &str, iteration: Option<(u32, u32)>);

    /// Something that a person should know, in one sentence.
    fn note(&self, text: &str);

    /// A test has ended.
    fn test(&self, test: &TestFacts) {
        let _ = test;
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _: &str, _: Option<(u32, u32)>) {}
    fn note(&self, _: &str) {}
}
