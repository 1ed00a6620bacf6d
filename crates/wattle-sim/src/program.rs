//! Programs of threads, flattened for execution.

use std::collections::BTreeMap;

use crate::{Action, SimError, Workload};

/// A name of [`Names`].
pub(crate) type NameIndex = u32;

/// Method names, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<String>,
    indices: BTreeMap<String, NameIndex>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> NameIndex {
        if let Some(index) = self.indices.get(text) {
            return *index;
        }
        let index = self.texts.len() as NameIndex;
        self.texts.push(text.to_owned());
        self.indices.insert(text.to_owned(), index);
        index
    }

    pub fn text(&self, index: NameIndex) -> &str {
        self.texts.get(index as usize).map_or("", String::as_str)
    }
}

/// One step of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Enter(NameIndex),
    Exit,
    Compute { cycles: f64, spread: f64 },
    Sleep { nanos: f64, spread: f64 },
    NextPeriod { nanos: i64 },
    AwaitWake,
    Wake { task: usize },
}

/// Most steps that one program may have after its repetitions are written out.
const MOST_OPS: usize = 1_000_000;

/// The steps of one thread, and whether it begins again after the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub ops: Vec<Op>,
    pub once: bool,
}

/// Flattens the programs of all threads.
pub(crate) fn compile(workload: &Workload, names: &mut Names) -> Result<Vec<Program>, SimError> {
    let threads = workload.threads().count();
    workload
        .threads()
        .map(|(app, thread)| {
            let mut compiler = Compiler {
                ops: Vec::new(),
                names,
                threads,
                place: format!("{}/{}", app.name, thread.name),
            };
            compiler.actions(&thread.program)?;
            let ops = compiler.ops;
            // A program that never waits and never works would hold the clock for ever.
            let passes_time = ops.iter().any(|op| {
                matches!(op, Op::Sleep { .. } | Op::NextPeriod { .. } | Op::AwaitWake)
                    || matches!(op, Op::Compute { cycles, .. } if *cycles >= 1000.0)
            });
            if !passes_time && !thread.once {
                return Err(SimError::Workload {
                    place: format!("{}/{}", app.name, thread.name),
                    expected: "a repeated program that computes or sleeps",
                    found: format!("{} actions that take no time", ops.len()),
                });
            }
            Ok(Program { ops, once: thread.once })
        })
        .collect()
}

struct Compiler<'a> {
    ops: Vec<Op>,
    names: &'a mut Names,
    threads: usize,
    place: String,
}

impl Compiler<'_> {
    fn actions(&mut self, actions: &[Action]) -> Result<(), SimError> {
        actions.iter().try_for_each(|action| self.action(action))
    }

    fn action(&mut self, action: &Action) -> Result<(), SimError> {
        match action {
            Action::Call { method, body } => {
                let name = self.names.intern(method);
                self.push(Op::Enter(name))?;
                self.actions(body)?;
                self.push(Op::Exit)
            }
            Action::Compute { cycles, spread } => {
                self.range("cycles of 0 to 1e12 and a spread of 0 to 1", *cycles, 1e12, *spread)?;
                self.push(Op::Compute { cycles: *cycles, spread: *spread })
            }
            Action::Sleep { length, spread } => {
                let nanos = length.value() as f64;
                self.range("a sleep of 0 to 1e15 ns and a spread of 0 to 1", nanos, 1e15, *spread)?;
                self.push(Op::Sleep { nanos, spread: *spread })
            }
            Action::NextPeriod { period } if period.value() >= 1000 => {
                self.push(Op::NextPeriod { nanos: period.value() })
            }
            Action::NextPeriod { period } => {
                Err(self.error("a period of at least 1 µs", period.to_string()))
            }
            Action::AwaitWake => self.push(Op::AwaitWake),
            Action::Wake { thread } if *thread < self.threads => {
                self.push(Op::Wake { task: *thread })
            }
            Action::Wake { thread } => {
                Err(self.error("the index of a thread to wake", thread.to_string()))
            }
            Action::Repeat { times, body } if *times <= 10_000 => {
                (0..*times).try_for_each(|_| self.actions(body))
            }
            Action::Repeat { times, .. } => {
                Err(self.error("at most 10000 repetitions", times.to_string()))
            }
        }
    }

    fn push(&mut self, op: Op) -> Result<(), SimError> {
        if self.ops.len() >= MOST_OPS {
            return Err(self.error("at most a million steps", format!("{op:?} after them")));
        }
        self.ops.push(op);
        Ok(())
    }

    fn range(
        &self,
        expected: &'static str,
        value: f64,
        most: f64,
        spread: f64,
    ) -> Result<(), SimError> {
        if (0.0..=most).contains(&value) && (0.0..=1.0).contains(&spread) {
            Ok(())
        } else {
            Err(self.error(expected, format!("{value} with spread {spread}")))
        }
    }

    fn error(&self, expected: &'static str, found: String) -> SimError {
        SimError::Workload { place: self.place.clone(), expected, found }
    }
}
