//! State of a session before a file is read, from which the facts of that file follow when it has been read.

use wattle_recording::ArtifactKind;
use wattle_timeline::DeviceFacts;
use wattle_units::BootNanos;

use crate::run_facts::{FIRST_SET, range};
use crate::{Clock, Format, ReadOrder, Reading, RunFacts, Session};

/// Clocks are read so near to the first and last event, nanoseconds: one minute.
const NEAR: i64 = 60_000_000_000;
/// Processes of one file that are kept for comparison.
const MAX_PROCESSES: usize = 1 << 14;

/// The state of a session before a file is read.
#[derive(Debug)]
pub struct BeforeFile {
    device: DeviceFacts,
    readings: usize,
    tasks: usize,
    artifacts: usize,
}

impl BeforeFile {
    /// Takes the device out of the session, so that the next file describes its own.
    pub fn new(session: &mut Session) -> Self {
        session.builder.take_source_spans();
        session.builder.take_span();
        Self {
            device: std::mem::take(&mut session.builder.device),
            readings: session.clocks.readings(Clock::Real).len(),
            tasks: session.builder.task_entries(),
            artifacts: session.next_artifact(),
        }
    }

    /// Adds the facts of the file that was read meanwhile, and gives the device back.
    pub fn finish(self, name: &str, format: &Format, session: &mut Session) {
        let device = std::mem::replace(&mut session.builder.device, self.device);
        session.builder.device.fill(device.clone());
        let readings = session.clocks.readings(Clock::Real).get(self.readings..);
        let readings = || readings.unwrap_or_default().iter().filter(|it| it.at >= FIRST_SET);
        let states_boot_time = format.kinds.contains(&ArtifactKind::Perfetto);
        let booted = range(readings().map(boot_of)).filter(|_| states_boot_time);
        let placed = session.builder.take_span();
        let wall = range(readings().map(|it| it.at)).filter(|_| states_boot_time);
        let wall = match (booted, placed) {
            // Events are many, so that a damaged one is noticed; of readings it may be the only one.
            (Some((boot, _)), Some(placed)) => {
                let of = |time: BootNanos| boot.saturating_add(time.value());
                let (first, last) = (of(placed.start), of(placed.end));
                let near = first.saturating_sub(NEAR)..=last.saturating_add(NEAR);
                let near = readings().map(|it| it.at).filter(|at| near.contains(at));
                range(near.chain([first, last]))
            }
            _ => wall,
        };
        let sources = session.builder.take_source_spans();
        let builder = &session.builder;
        let names = builder.process_names(self.tasks).take(MAX_PROCESSES);
        let processes = names.map(|(pid, name)| (pid, builder.names.get(name).to_owned()));
        let facts = RunFacts {
            name: name.to_owned(),
            recording: session.runs.current,
            is_description: false,
            device,
            wall,
            boot: booted.map(|(first, _)| first),
            processes: processes.collect(),
            format: format.name,
            sources,
            artifacts: self.artifacts..session.next_artifact(),
            is_sparse: format.order >= ReadOrder::Counters,
            placed,
        };
        session.runs.entries.push(facts);
    }
}

fn boot_of(reading: &Reading) -> i64 {
    (reading.low / 2).saturating_add(reading.high / 2).saturating_neg()
}
