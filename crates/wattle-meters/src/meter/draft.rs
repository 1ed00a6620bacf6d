//! Result of a reader of one format.

use wattle_timeline::{ArtifactQuality, Note, Severity};

use super::meter_series::{MeterClock, MeterFile, MeterMark, Series};
use wattle_import::text::DAY;

/// Nanoseconds since 1970 that are believed, and from the first to the last sample.
const LATEST: i64 = 3_000_000_000_000_000_000;
const LONGEST: i64 = 366 * DAY;

/// A meter's file as it was read, before it is known which artifact of a recording it is.
#[derive(Debug)]
pub(crate) struct Draft {
    pub clock: MeterClock,
    pub series: Vec<Series>,
    pub marks: Vec<MeterMark>,
    pub are_runs: bool,
    pub quality: ArtifactQuality,
}

impl Draft {
    pub fn new(format: &str) -> Self {
        let quality = ArtifactQuality { format: format.to_owned(), ..ArtifactQuality::default() };
        Self {
            clock: MeterClock::Own,
            series: Vec::new(),
            marks: Vec::new(),
            are_runs: false,
            quality,
        }
    }

    /// Adds a note if something happened at all.
    pub fn note(&mut self, severity: Severity, code: &str, count: u64, text: &str) {
        if count > 0 {
            self.quality.notes.push(Note::new(severity, code, text).times(count));
        }
    }

    /// Puts the samples in order, counts them, and says what is odd.
    ///
    /// # Errors
    /// If there are no samples, or their times are no times of samples.
    pub fn finish(&mut self) -> Result<(), String> {
        let (mut back, mut together, mut missing) = (0, 0, 0);
        for series in &mut self.series {
            let (first, last) = (series.time.iter().min(), series.time.iter().max());
            let is_sane = first.zip(last).is_none_or(|(first, last)| {
                *first >= -LATEST && *last <= LATEST && last - first <= LONGEST
            });
            if !is_sane {
                return Err(format!(
                    "expected times within a year of each other and before 2065, found {first:?} to {last:?} nanoseconds"
                ));
            }
            let (out_of_order, twins) = series.tidy();
            if out_of_order * 10 > series.time.len() as u64 {
                return Err(format!(
                    "expected times that go on from sample to sample, found {out_of_order} of {} that go back: this is no row of \
                     samples",
                    series.time.len()
                ));
            }
            back += out_of_order;
            together += twins;
            missing += series.power.iter().filter(|power| power.is_nan()).count() as u64;
            let name = format!("samples of {}", series.channel);
            self.quality.events.insert(name, series.time.len() as u64);
        }
        self.series.retain(|series| series.power.iter().any(|power| power.is_finite()));
        if self.series.is_empty() {
            return Err("expected samples of power, found none".to_owned());
        }
        self.note(
            Severity::Warning,
            "meter-order",
            back,
            "times that go back: the samples were put in order",
        );
        self.note(
            Severity::Info,
            "meter-packets",
            together,
            "samples with the time of another: their mean was taken",
        );
        self.note(
            Severity::Warning,
            "meter-lost",
            missing,
            "samples without a value: nothing is known until the next",
        );
        Ok(())
    }

    /// As one of a session's artifacts.
    pub fn into_file(self, artifact: usize) -> (MeterFile, ArtifactQuality) {
        let Self { clock, series, marks, are_runs, quality } = self;
        (MeterFile { artifact, clock, series, marks, are_runs }, quality)
    }
}
