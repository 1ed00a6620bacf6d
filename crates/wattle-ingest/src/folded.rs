//! Collapsed stacks, one a line with how much there is of it: `java;start_thread;[libjvm.so];call_stub_[j] 12`, as the scripts
//! `stackcollapse*` of Brendan Gregg's FlameGraph write them, async-profiler, and others.
//!
//! They hold no times, so they become [`StackTotal`](wattle_timeline::StackTotal)s. The first entry of a line is the process where it
//! looks like one: `stackcollapse-perf.pl` always writes it, others never do.
//!
//! Of a frame the format knows a name and a mark behind it: `_[k]` the kernel, `_[j]` compiled while running, `_[i]` compiled into its
//! caller. `[libjvm.so]` is an unknown function of that file, `[unknown]` of no known one.

mod line;
mod read;
mod root;

pub(crate) use read::{FoldedLooks, looks_like, read};

/// What a file with two counts a line is, which is not read.
pub(crate) const DIFFERENTIAL: &str = "a differential of collapsed stacks (two counts a line, difffolded.pl): the difference of two recordings has no \
     energy of its own; give the collapsed stacks of one, or compare two ledgers";
