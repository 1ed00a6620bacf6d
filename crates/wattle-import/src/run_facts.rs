//! Facts of each input file about the run that it is of, by which files of different runs are noticed.

use std::collections::BTreeMap;
use std::ops::Range;

use wattle_recording::Recording;
use wattle_timeline::{DeviceFacts, SourceSpans, Window};

use crate::recording;

/// Wall clocks before 2010-01-01 were never set.
pub(crate) const FIRST_SET: i64 = 1_262_304_000 * 1_000_000_000;

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
    /// The name of its format; empty for a `recording.json`.
    pub format: &'static str,
    /// When the sources that a device has once were recorded into it.
    pub sources: SourceSpans,
    /// The artifacts that it is, as [`Session::next_artifact`](crate::Session::next_artifact) numbers them.
    pub artifacts: Range<usize>,
    /// It is a log or a dump: its first and last event may lie far inside of the time that it is of.
    pub is_sparse: bool,
    /// From its first to its last event, in the recording's clock. `None` where none of them has a place there.
    pub placed: Option<Window>,
}

/// Facts of all input files so far.
#[derive(Debug, Default)]
pub struct RunLog {
    /// One entry for each `recording.json` and for each file that was read.
    pub entries: Vec<RunFacts>,
    /// Number of the recording that lists the file being read.
    pub current: Option<usize>,
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
            ..RunFacts::default()
        });
        number
    }

    /// An artifact that waited for others is of this device.
    pub fn of_device(&mut self, artifact: usize, device: DeviceFacts) {
        if let Some(file) = self.entries.iter_mut().find(|file| file.artifacts.contains(&artifact))
        {
            file.device.fill(device);
        }
    }

    /// An artifact that waited for others has its events between these times of the recording's clock.
    pub fn place(&mut self, artifact: usize, span: Option<Window>) {
        let Some(span) = span else { return };
        if let Some(file) = self.entries.iter_mut().find(|file| file.artifacts.contains(&artifact))
        {
            file.placed = Some(file.placed.map_or(span, |placed| {
                Window::new(placed.start.min(span.start), placed.end.max(span.end))
            }));
        }
    }
}

/// The first and the last of some times.
pub(crate) fn range(times: impl Iterator<Item = i64> + Clone) -> Option<(i64, i64)> {
    Some((times.clone().min()?, times.max()?))
}
