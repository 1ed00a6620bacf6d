//! What the artifacts of one recording add up to while they are read.
//!
//! What is in boot time already goes to the builder at once. What is in another clock (records of probes, lines of logs)
//! waits until all artifacts were read: any of them may know how that clock goes.

use wattle_recording::Recording;
use wattle_timeline::{ArtifactQuality, Note, Severity, Timeline, TimelineBuilder, Window};

use crate::align::{Clock, ClockFacts, Reading};
use crate::art_trace::MethodTraces;
use crate::logs::{self, LogFindings};
use crate::meter::{self, MeterFile};
use crate::navitas::{NavitasAmong, NavitasFindings};
use crate::perf_data::PerfDataFile;
use crate::probes::{self, ProbeLog, ProbeMaps, SliceMaker};
use crate::{ReadOptions, art_trace, batterystats, perf_data, perfetto, power_evidence, recording};

/// What a wall clock drifts at most against boot time between two readings, nanoseconds: 100 ppm over 100 s.
const DRIFT: u64 = 10_000_000;

/// The state of reading one recording.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub builder: TimelineBuilder,
    pub clocks: ClockFacts,
    pub probes: ProbeLog,
    pub maps: ProbeMaps,
    pub logs: Vec<LogFindings>,
    pub navitas: Vec<NavitasFindings>,
    pub method_traces: MethodTraces,
    pub meters: Vec<MeterFile>,
    pub perf_data: Vec<PerfDataFile>,
    pub options: ReadOptions,
    pub statistics: Vec<batterystats::Findings>,
    /// One an artifact, in the order of reading.
    pub qualities: Vec<ArtifactQuality>,
    pub recording: Option<Recording>,
    /// From the first to the last event of the traces.
    pub traced: Option<Window>,
    /// When the file that is read was last written, Unix nanoseconds.
    pub file_time: Option<i64>,
}

/// Half a year: a log is at most as old as its file, so it is looked for around this before it.
const HALF_A_YEAR: i64 = 181 * 86_400 * 1_000_000_000;

impl Session {
    /// Takes in what a recording says of itself. Before its artifacts are read.
    pub fn describe(&mut self, recording: Recording) {
        self.clocks.recording(&recording);
        recording::tell(&recording, &mut self.builder);
        self.recording = Some(recording);
    }

    /// A time that logs of the recording are near to.
    pub fn around(&self) -> Option<i64> {
        let recorded = self.recording.as_ref().and_then(|recording| {
            let clock = recording.clocks_start.first().map(|pair| pair.device_real_ns);
            clock.or(recording.created_host_ns)
        });
        let known = recorded.or_else(|| self.clocks.some_time(Clock::Real));
        known.or_else(|| Some(self.file_time?.saturating_sub(HALF_A_YEAR)))
    }

    /// Takes in what reading a trace of the kernel gave that brought the readings of clocks.
    pub fn add_trace(&mut self, quality: ArtifactQuality, readings: Vec<(Clock, Reading)>) {
        for (clock, reading) in readings {
            self.clocks.add(clock, reading);
        }
        self.traced = self.builder.span().map(|(first, last)| Window::new(first, last));
        self.qualities.push(quality);
    }

    /// Says where clocks were set or stood still: times near such a place may be of the wrong side of it.
    fn note_jumps(&mut self) {
        let clocks = [
            (
                Clock::Monotonic,
                "clock-slept",
                "the monotonic clock stood still against boot time: the device slept",
            ),
            (Clock::Real, "clock-set", "the device's wall clock was set while it was recorded"),
        ];
        for (clock, code, text) in clocks {
            let least = if clock == Clock::Real { DRIFT } else { 0 };
            let jumps = self.clocks.fit(clock).map_or(0, |fit| fit.jumps_over(least));
            if jumps > 0 {
                self.builder.note(Note::new(Severity::Info, code, text).times(jumps));
            }
        }
    }

    /// The timeline.
    pub fn finish(mut self) -> Timeline {
        let names: Vec<_> = self.qualities.iter().map(|quality| quality.name.clone()).collect();
        let meters = std::mem::take(&mut self.meters);
        // Without anything else its own clock is as good as any.
        let meters = if self.qualities.len() == meters.len() && meters.len() == 1 {
            meter::alone(meters, &mut self.builder);
            Vec::new()
        } else {
            meters
        };
        perf_data::tell(&mut self);
        self.note_jumps();
        let recorded = self.recording.as_ref().and_then(|it| recording::window(it, &self.clocks));
        let window = self.traced.or(recorded);
        let uids = self.recording.as_ref().map(recording::uids).unwrap_or_default();
        self.maps.tell(&mut self.builder);
        let mut maker = SliceMaker {
            builder: &mut self.builder,
            maps: &self.maps,
            clocks: &self.clocks,
            window,
            has_scheduler: self.traced.is_some(),
            uids: &uids,
        };
        probes::make_slices(&mut maker, self.probes, &mut self.qualities);
        let iteration = self.recording.as_ref().and_then(|it| it.iterations.first());
        let iteration = iteration.map_or(0, |iteration| iteration.number);
        let mut has_tests = false;
        for log in self.logs {
            let Some(quality) = self.qualities.get_mut(log.artifact) else { continue };
            let among = logs::Among {
                clocks: &self.clocks,
                window,
                has_others: self.traced.is_some(),
                iteration,
            };
            has_tests |= log.tell(&among, &mut self.builder, quality);
        }
        for log in self.navitas {
            let Some(quality) = self.qualities.get_mut(log.artifact) else { continue };
            let has_others = self.traced.is_some();
            let among = NavitasAmong { clocks: &self.clocks, window, has_others };
            log.tell(&among, &mut self.builder, quality);
        }
        let among = art_trace::Among {
            clocks: &self.clocks,
            window,
            has_others: self.traced.is_some(),
            app: self.recording.as_ref().and_then(recording::only_app),
            sampled: self.recording.as_ref().and_then(recording::sampled_methods),
        };
        self.method_traces.tell(&among, &mut self.builder, &mut self.qualities);
        let among = batterystats::Among { clocks: &self.clocks, window };
        batterystats::tell(self.statistics, &among, &mut self.builder, &mut self.qualities);
        if let Some(it) = &self.recording {
            recording::tests(it, &self.clocks, has_tests, &mut self.builder);
        }
        for quality in self.qualities {
            self.builder.artifact(quality);
        }
        let mut timeline = self.builder.finish();
        perfetto::derive_tpus(&mut timeline);
        probes::resolve_sections(&mut timeline, &self.maps);
        if let Some(it) = &self.recording {
            recording::device(it, &mut timeline.device);
            recording::leave_out_charged_battery(it, &mut timeline);
        }
        meter::tell(meters, &names, &self.options.meter, &self.clocks, &mut timeline);
        timeline.quality.notes.extend(power_evidence::missing(&timeline));
        timeline
    }
}
