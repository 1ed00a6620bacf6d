//! Calls, lines of calls and places of one run.

use rustc_hash::FxHashMap;
use wattle_ledger::FunctionPlace;
use wattle_units::Estimate;

use super::MethodTable;
use crate::digest::CallRecord;

/// Calls from one method to another, by their rows in the table of the group.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The caller.
    pub caller: u32,
    /// The callee.
    pub callee: u32,
    /// Number of calls; 0 where only samples know them.
    pub calls: u64,
    /// The energy of the callee, called from there.
    pub energy: Estimate,
}

/// A line from which something was called, in the file that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLine {
    /// The line, from 0.
    pub line: u32,
    /// Names of what is called.
    pub callees: Vec<String>,
    /// Number of calls.
    pub calls: u64,
    /// The energy of what is called from there.
    pub energy: Estimate,
}

/// Calls, lines of calls and places of one run. Methods are rows of the table of its group: there may be a hundred thousand names.
#[derive(Clone, Debug, Default)]
pub struct CallDetails {
    /// The run.
    pub run: i64,
    edges: Vec<Edge>,
    lines: FxHashMap<u32, Vec<RunLine>>,
    places: Vec<FunctionPlace>,
}

impl CallDetails {
    /// Nothing yet of a run.
    pub fn new(run: i64) -> Self {
        Self { run, ..Self::default() }
    }

    /// Adds a line of a digest. Methods without a row have no place in a file.
    pub fn push(&mut self, record: CallRecord, methods: &MethodTable) {
        let row = |name: &str| methods.find(name).and_then(|row| u32::try_from(row).ok());
        match record {
            CallRecord::Format(_) => {}
            CallRecord::Edge(edge) => {
                if let (Some(caller), Some(callee)) = (row(&edge.caller), row(&edge.callee)) {
                    let (calls, energy) = (edge.calls, edge.energy);
                    self.edges.push(Edge { caller, callee, calls, energy });
                }
            }
            CallRecord::Line(line) => {
                let (Some(method), Some(number)) = (row(&line.method), line.line.checked_sub(1))
                else {
                    return;
                };
                self.lines.entry(method).or_default().push(RunLine {
                    line: number,
                    callees: line.callees,
                    calls: line.calls,
                    energy: line.energy,
                });
            }
            CallRecord::Place(place) => self.places.push(place),
        }
    }

    /// Gives back memory that nothing needs.
    pub fn shrink(&mut self) {
        self.edges.shrink_to_fit();
    }

    /// Calls of a method, or by it, those of most energy first.
    pub fn edges_of(&self, row: usize, is_caller: bool) -> Vec<&Edge> {
        let is_of = |edge: &&Edge| {
            let method = if is_caller { edge.caller } else { edge.callee };
            method as usize == row
        };
        self.edges.iter().filter(is_of).collect()
    }

    /// The lines of a method from which something was called.
    pub fn lines_of(&self, row: usize) -> &[RunLine] {
        let row = u32::try_from(row).ok();
        row.and_then(|row| self.lines.get(&row)).map_or(&[], Vec::as_slice)
    }

    /// Functions whose symbols state a file of this name.
    pub fn places_in(&self, file_name: &str) -> impl Iterator<Item = &FunctionPlace> {
        self.places.iter().filter(move |place| {
            place.file.rsplit(['/', '\\']).next().is_some_and(|last| last == file_name)
        })
    }
}
