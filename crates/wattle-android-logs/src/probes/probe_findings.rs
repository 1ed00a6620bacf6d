//! Records of probes, from files and logs, held until clocks and maps are known.

use wattle_import::{ClockFacts, Derivation, DerivationStage, Pending, Session, Stage, recording};
use wattle_timeline::Timeline;

use super::map::ProbeMaps;
use super::process::ProbeLog;
use super::sections;
use super::slices::{SliceMaker, make};

/// The records of all processes, and the maps that give them meaning.
#[derive(Debug, Default)]
pub(crate) struct ProbeFindings {
    pub log: ProbeLog,
    pub maps: ProbeMaps,
}

impl Pending for ProbeFindings {
    fn stage(&self) -> Stage {
        Stage::RecordedCalls
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        let Self { log, mut maps } = *self;
        let uids = session.recording.as_ref().map(recording::uids).unwrap_or_default();
        maps.apply(&mut session.builder);
        let mut maker = SliceMaker {
            builder: &mut session.builder,
            maps: &maps,
            clocks: &session.clocks,
            window: session.window,
            has_scheduler: session.traced.is_some(),
            uids: &uids,
        };
        make(&mut maker, log, &mut session.qualities);
        session.derive(Sections(maps));
    }
}

/// The names of sections whose label is a probe's.
struct Sections(ProbeMaps);

impl Derivation for Sections {
    fn stage(&self) -> DerivationStage {
        DerivationStage::Names
    }

    fn derive(self: Box<Self>, timeline: &mut Timeline, _: &ClockFacts) {
        sections::resolve(timeline, &self.0);
    }
}
