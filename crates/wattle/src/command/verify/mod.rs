//! `wattle verify`: bytecode, references, signatures and alignment of packages and Dalvik executables.

mod alignment;
mod code;
pub(super) mod input;
mod leftovers;
mod member;
mod signatures;
mod subject;
pub(super) mod table;
mod verdict;

use std::time::Instant;

use super::output;
use crate::cli::Verify;
use crate::exit::{Failure, Outcome};
use crate::progress::Bar;
use subject::Subject;
use verdict::{Judged, Verdict};

/// Runs `wattle verify`.
pub fn run(verify: &Verify) -> Outcome {
    let started = Instant::now();
    let inputs = input::read(&verify.files).map_err(Failure::Input)?;
    let mut bar = Bar::named("verifying", verify.quiet);
    let mut work = Work::new(&mut bar, inputs.iter().map(|input| input.bytes.len() as u64).sum());
    let budget = verify.unpacking.budget();
    let subjects = Subject::of_inputs(inputs, &budget);
    let subjects: Vec<Judged> = subjects
        .into_iter()
        .map(|subject| subject.verify(verify, &mut work, &budget))
        .take_while(|_| !budget.is_exceeded())
        .collect();
    drop(bar);
    if budget.is_exceeded() {
        return Err(verify.unpacking.refusal(&verify.files));
    }
    let verdict = Verdict::new(subjects, started.elapsed(), verify.strict);
    if let Some(path) = &verify.json {
        output::write_json(path, &verdict)?;
    }
    if !verify.quiet && !output::is_stdout(verify.json.as_deref()) {
        output::print(table::text(&verdict, verify.top).as_bytes())?;
    }
    match verdict.refusal() {
        Some(refusal) => Err(Failure::Refused(anyhow::anyhow!(refusal))),
        None => Ok(()),
    }
}

/// Progress of the work, in bytes of input.
struct Work<'b> {
    bar: &'b mut Bar,
    done: u64,
    total: u64,
}

impl<'b> Work<'b> {
    fn new(bar: &'b mut Bar, total: u64) -> Self {
        Self { bar, done: 0, total }
    }

    fn advance(&mut self, bytes: u64) {
        use wattle_ingest::Progress as _;
        self.done = self.done.saturating_add(bytes).min(self.total);
        self.bar.advance(self.done, Some(self.total));
    }
}
