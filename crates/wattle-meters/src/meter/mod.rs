//! Files of power meters outside the device: samples in the meter's own clock, brought into the recording's by a step of its own.
//!
//! | format | read by |
//! |---|---|
//! | tables: Monsoon's PowerTool and Python library, Otii, Joulescope, any with named columns | `table` |
//! | `.pt4` of Monsoon's PowerTool | `pt4` |
//! | `.jls` version 2 of Joulescope | `jls` |
//! | BattOr | `battor` |
//! | totals of runs of Android Runner | `runs` |

mod align;
mod battor;
mod columns;
mod draft;
mod jls;
mod meter_file;
mod meter_options;
mod meter_series;
mod meter_table;
mod number;
mod pt4;
mod run_totals;
mod table_cells;
mod time_stamp;
mod unit;

use wattle_import::{
    Artifact, ClockFacts, Derivation, DerivationStage, Format, Head, ImportError, Importer,
    Pending, ReadOrder, Recognition, Session, Stage,
};
use wattle_recording::ArtifactKind;
use wattle_timeline::Timeline;

use meter_series::MeterFile;

pub use meter_options::{MeterColumn, MeterColumns, MeterOptions, MeterStart};

/// Files of power meters.
pub const METER: &dyn Importer = &Meter;

const FORMAT: Format = Format {
    name: "meter",
    title: "samples of a power meter",
    family: "power meter samples",
    short: None,
    order: ReadOrder::Totals,
    kinds: &[ArtifactKind::Meter],
    is_accessory: false,
};

struct Meter;

impl Importer for Meter {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        if head.bytes.starts_with(JOULESCOPE_1) {
            return Recognition::Refused(
                "a Joulescope file of version 1 (export it as version 2 or as CSV)",
            );
        }
        (head.is_text_or_binary() && meter_file::looks_like(head.bytes)).into()
    }

    fn insists(&self, other: Recognition) -> bool {
        other == Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let options = session.option::<MeterOptions>();
        let malformed =
            |reason| ImportError { name: name.to_owned(), what: "a power meter's file", reason };
        let draft = meter_file::read(source, &options, &mut told).map_err(malformed)?;
        let (file, mut quality) = draft.into_file(session.next_artifact());
        name.clone_into(&mut quality.name);
        session.pending::<Meters>().0.push(file);
        session.add_artifact(quality);
        Ok(())
    }
}

/// First bytes of version 1 of Joulescope's files.
const JOULESCOPE_1: &[u8] = b"\xd3tagfmt";

/// Meters' files that wait for the timeline to which they are aligned.
#[derive(Default)]
struct Meters(Vec<MeterFile>);

impl Pending for Meters {
    fn stage(&self) -> Stage {
        Stage::Totals
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        // Without anything else a meter's own clock is as good as any.
        if session.qualities.len() == 1 && self.0.len() == 1 {
            align::alone(self.0, &mut session.builder);
            return;
        }
        let files = self.0.into_iter();
        let files = files.map(|file| (session.artifact_name(file.artifact).to_owned(), file));
        let files = files.collect();
        let options = session.option();
        session.derive(AlignedMeters { files, options });
    }
}

/// Meters' files that are aligned to the timeline.
struct AlignedMeters {
    files: Vec<(String, MeterFile)>,
    options: MeterOptions,
}

impl Derivation for AlignedMeters {
    fn stage(&self) -> DerivationStage {
        DerivationStage::Alignment
    }

    fn derive(self: Box<Self>, timeline: &mut Timeline, clocks: &ClockFacts) {
        align::add(self.files, &self.options, clocks, timeline);
    }
}
