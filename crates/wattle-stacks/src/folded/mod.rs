//! Collapsed stacks, one a line with how much there is of it: `java;start_thread;[libjvm.so];call_stub_[j] 12`, as the scripts
//! `stackcollapse*` of Brendan Gregg's FlameGraph write them, async-profiler, and others.
//!
//! They hold no times, so they become [`StackTotal`](wattle_timeline::StackTotal)s. The first entry of a line is the process where it
//! looks like one: `stackcollapse-perf.pl` always writes it, others never do.
//!
//! Of a frame the format knows a name and a mark behind it: `_[k]` the kernel, `_[j]` compiled while running, `_[i]` compiled into its
//! caller. `[libjvm.so]` is an unknown function of that file, `[unknown]` of no known one.

mod folded_file;
mod folded_line;
mod stack_root;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};

use folded_file::Shape;

/// Collapsed stacks.
pub const FOLDED: &dyn Importer = &Folded;

const FORMAT: Format = Format {
    name: "folded",
    title: "collapsed stacks",
    family: "sampled stacks",
    short: Some("collapsed"),
    order: ReadOrder::Logs,
    kinds: &[],
    is_accessory: false,
};

struct Folded;

impl Importer for Folded {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        if !head.is_text() {
            return Recognition::No;
        }
        match folded_file::shape(head.bytes) {
            Some(Shape::Folded) => Recognition::Yes,
            Some(Shape::Differential) => Recognition::Refused(DIFFERENTIAL),
            None => Recognition::No,
        }
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = folded_file::read(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}

/// Description of a file with two counts a line, which is not read.
const DIFFERENTIAL: &str = "a differential of collapsed stacks (two counts a line, difffolded.pl): the difference of two recordings has no \
     energy of its own; give the collapsed stacks of one, or compare two ledgers";
