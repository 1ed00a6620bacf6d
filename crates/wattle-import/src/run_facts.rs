//! Facts of each input file about the run that it is of, by which files of different runs are noticed.

use std::collections::BTreeMap;

use wattle_recording::{ArtifactKind, Recording};
use wattle_timeline::DeviceFacts;

use crate::{Clock, Format, Reading, Session, recording};

/// Processes of one file that are kept for comparison.
const MAX_PROCESSES: usize = 1 << 14;
/// Wall clocks before 2010-01-01 were never set.
const FIRST_SET: i64 = 1_262_304_000 * 1_000_000_000;

/// Facts of one input file about device, boot and processes. Unknown ones are absent.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// The file's name, or that of the recording's folder or archive.
    pub name: String,
    /// Number of the recording whose `recording.json` lists the file; `None` for a file on its own.
    pub recording: Option<usize>,
    /// The facts are those of a `recording.json` itself.
    pub is_description: bool,
    /// The device, as the file describes it.
    pub device: DeviceFacts,
    /// Device time of the first and last clock reading, Unix nanoseconds.
    pub wall: Option<(i64, i64)>,
    /// Unix time at which the device booted, in nanoseconds. Only of files that state boot time itself.
    pub boot: Option<i64>,
    /// Names of processes by pid, as command lines have them.
    pub processes: BTreeMap<u32, String>,
}

/// Facts of all input files so far.
#[derive(Debug, Default)]
pub struct RunLog {
    /// One entry for each `recording.json` and for each file that was read.
    pub entries: Vec<RunFacts>,
    /// Number of the recording that lists the file being read.
    pub current: Option<usize>,
    /// Boot time of the last event of the file being read, where its importer states it, in nanoseconds.
    pub file_end: Option<i64>,
    recordings: usize,
}

impl RunLog {
    /// Adds what a `recording.json` says. Returns the recording's number.
    pub(crate) fn describe(&mut self, name: &str, described: &Recording) -> usize {
        let number = self.recordings;
        self.recordings += 1;
        let mut device = DeviceFacts::default();
        recording::device(described, &mut device);
        // Where the SoC's property is missing it is the platform's name, which no trace calls the SoC.
        device.soc = None;
        let pairs = described.clocks_start.iter().chain(&described.clocks_end);
        let pairs = pairs.filter(|pair| pair.device_real_ns >= FIRST_SET);
        let wall = pairs.clone().map(|pair| pair.device_real_ns);
        let booted = pairs.map(|pair| pair.device_real_ns.saturating_sub(pair.device_boot_ns));
        self.entries.push(RunFacts {
            name: name.to_owned(),
            recording: Some(number),
            is_description: true,
            device,
            wall: range(wall).or_else(|| described.created_host_ns.map(|time| (time, time))),
            boot: booted.min(),
            processes: BTreeMap::new(),
        });
        number
    }
}

/// The state of a session before a file is read.
#[derive(Debug)]
pub struct BeforeFile {
    device: DeviceFacts,
    readings: usize,
    tasks: usize,
}

impl BeforeFile {
    /// Takes the device out of the session, so that the next file describes its own.
    pub fn new(session: &mut Session) -> Self {
        session.runs.file_end = None;
        Self {
            device: std::mem::take(&mut session.builder.device),
            readings: session.clocks.readings(Clock::Real).len(),
            tasks: session.builder.task_entries(),
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
        // The last clock reading may be long before the end.
        let end = booted
            .and_then(|(boot, _)| Some(boot.saturating_add(session.runs.file_end?)))
            .unwrap_or(i64::MIN);
        let wall = range(readings().map(|it| it.at)).filter(|_| states_boot_time);
        let builder = &session.builder;
        let names = builder.process_names(self.tasks).take(MAX_PROCESSES);
        let processes = names.map(|(pid, name)| (pid, builder.names.get(name).to_owned()));
        let facts = RunFacts {
            name: name.to_owned(),
            recording: session.runs.current,
            is_description: false,
            device,
            wall: wall.map(|(first, last)| (first, last.max(end))),
            boot: booted.map(|(first, _)| first),
            processes: processes.collect(),
        };
        session.runs.entries.push(facts);
    }
}

fn boot_of(reading: &Reading) -> i64 {
    (reading.low / 2).saturating_add(reading.high / 2).saturating_neg()
}

fn range(times: impl Iterator<Item = i64> + Clone) -> Option<(i64, i64)> {
    Some((times.clone().min()?, times.max()?))
}
