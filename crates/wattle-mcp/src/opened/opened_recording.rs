//! A recording that was opened.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;
use wattle_report::{By, Report, ReportOptions};
use wattle_units::Nanos;

use crate::answer::{ToolError, seconds};

/// The part of a step by which times that answers print may be rounded.
const ROUNDED: f64 = 0.05;

/// The most reports that are kept of a recording: one for each app that was asked for.
const MOST_REPORTS: usize = 4;

/// A recording that was opened: its ledger, its findings, reports of them.
#[derive(Debug)]
pub struct OpenedRecording {
    /// Its handle.
    pub handle: String,
    /// The path, or the name of a kept run, that was asked for.
    pub name: String,
    /// The attribution of its energy.
    pub ledger: Ledger,
    /// Findings; `None` where nobody could look for them.
    pub diagnosis: Option<Diagnosis>,
    /// The apps that it is about where nobody asks for others.
    pub apps: Vec<String>,
    /// Size of its ledger as a file.
    pub bytes: u64,
    /// Reports by app.
    pub reports: Mutex<Vec<(Vec<String>, Arc<Report>)>>,
}

/// A period of a recording: bins of its energy over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    /// First bin.
    pub first: u32,
    /// The bin after the last.
    pub end: u32,
    /// Start of the first bin, in seconds from the start of the recording.
    pub from: f64,
    /// End of the last.
    pub to: f64,
}

impl TimeRange {
    /// Steps of this width, in seconds, of a recording of this length.
    fn of_steps(first: u32, end: u32, width: f64, length: f64) -> Self {
        let (from, to) = (f64::from(first) * width, (f64::from(end) * width).min(length));
        Self { first, end, from, to }
    }

    /// Whether a bin is in it.
    pub fn contains(self, bin: u32) -> bool {
        (self.first..self.end).contains(&bin)
    }
}

impl OpenedRecording {
    /// The report about an app, or about those that the recording is of.
    pub fn report(&self, app: Option<&str>) -> Arc<Report> {
        let apps = app.map_or_else(|| self.apps.clone(), |app| vec![app.to_owned()]);
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, report)) = reports.iter().find(|(of, _)| *of == apps) {
            return Arc::clone(report);
        }
        let mut options = ReportOptions::default();
        options.apps.clone_from(&apps);
        // Energy by method, also where only names of slices are known.
        options.by = Some(By::Method);
        let report = Arc::new(Report::new(&self.ledger, &options));
        if reports.len() >= MOST_REPORTS {
            reports.remove(0);
        }
        reports.push((apps, Arc::clone(&report)));
        report
    }

    /// Length of the recording.
    pub fn duration(&self) -> Nanos {
        self.ledger.recording.window.duration()
    }

    /// Energy in each step of time, joules; empty where times are not known.
    pub fn joules_over_time(&self) -> Vec<f64> {
        let Some(energy) = &self.ledger.over_time.energy else { return Vec::new() };
        let mut sums = vec![0.0; energy.bins.count as usize];
        for cell in energy.cells(&self.ledger.bookings) {
            if let Some(sum) = sums.get_mut(cell.bin as usize) {
                *sum += cell.joules.value();
            }
        }
        sums
    }

    /// Steps of the energy over time; `None` where times are not known.
    pub fn steps(&self, first: u32, end: u32) -> Option<TimeRange> {
        let width = self.ledger.over_time.energy.as_ref()?.bins.width.seconds();
        Some(TimeRange::of_steps(first, end, width, self.duration().seconds()))
    }

    /// The steps of the energy over time that a period touches.
    pub fn time_range(&self, from: Option<f64>, to: Option<f64>) -> Result<TimeRange, ToolError> {
        let length = self.duration().seconds();
        let (from, to) = (from.unwrap_or(0.0), to.unwrap_or(length));
        if from >= to || from >= length {
            return Err(ToolError::new(format!(
                "from {from} s, to {to} s: expected a period within the recording, which is from 0 to {length} s"
            )));
        }
        let Some(energy) = &self.ledger.over_time.energy else {
            return Err(ToolError::new(
                "this ledger was saved without energy over time: open the recording that it was made of",
            ));
        };
        let width = energy.bins.width.seconds();
        if energy.bins.count == 0 || width <= 0.0 {
            return Err(ToolError::new("the recording has no energy over time"));
        }
        let count = energy.bins.count;
        // Outwards, but for what a printed time is rounded by.
        let first = ((from / width + ROUNDED).floor() as u32).min(count - 1);
        let end = ((to / width - ROUNDED).ceil() as u32).clamp(first + 1, count);
        Ok(TimeRange::of_steps(first, end, width, length))
    }

    /// Device and length: `Pixel 6a, 90.0 s`.
    pub fn title(&self) -> String {
        let device = self.ledger.recording.device.title().unwrap_or("unknown device");
        format!("{device}, {}", seconds(self.duration().seconds()))
    }

    /// Components with energy of which it is not known when it was used, so that no period contains it.
    pub fn timeless_components(&self) -> Vec<&str> {
        let Some(energy) = &self.ledger.over_time.energy else { return Vec::new() };
        let timeless = self
            .ledger
            .bookings
            .iter()
            .zip(&energy.cells)
            .filter(|(booking, cells)| **cells == 0 && booking.joules.value() != 0.0);
        let components = timeless.filter_map(|(booking, _)| {
            let entry = self.ledger.rows.components.get(usize::from(booking.component.0))?;
            Some(entry.name.name())
        });
        let names: BTreeSet<&str> = components.collect();
        names.into_iter().collect()
    }
}
