use std::collections::BTreeMap;
use std::path::Path;

use wattle_ledger::{AttributionOptions, JudgedRail, judged_rails};
use wattle_power::{PowerEstimate, PowerOptions};
use wattle_timeline::Timeline;

use crate::Options;

/// A trace whose rails were judged.
#[derive(Debug, Clone)]
pub(crate) struct RailTrace {
    pub(crate) file: String,
    /// The device's code name, numbered where several traces are of one.
    pub(crate) device: String,
    /// Name of the model that predicts its rails.
    pub(crate) model: String,
    pub(crate) rails: Vec<JudgedRail>,
}

/// Traces with power rails.
#[derive(Debug, Default)]
pub(crate) struct RailTraces {
    options: AttributionOptions,
    pub(crate) judged: Vec<RailTrace>,
    /// Traces that have rails, or were asked for, and cannot be judged, with the reason.
    pub(crate) omitted: Vec<String>,
    /// By device the traces that were judged.
    of_device: BTreeMap<String, usize>,
    /// Whether any trace has rails.
    has_rails: bool,
}

impl RailTraces {
    pub(crate) fn new(options: &Options) -> Self {
        let mut attribution = AttributionOptions::default();
        attribution.threads = options.threads;
        Self { options: attribution, ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_rails
    }

    /// Reads a trace and judges its rails. One without rails is left out, with a note where it was `asked` for.
    pub(crate) fn read(&mut self, path: &Path, file: &str, asked: bool) {
        let timeline = match wattle_ingest::read_paths(&[path.to_owned()]) {
            Ok(timeline) => timeline,
            Err(error) => return self.omit(file, &error.to_string()),
        };
        let rails = timeline.energy.rails.len();
        if rails == 0 {
            if asked {
                self.omit(file, "no power rails");
            }
            return;
        }
        self.has_rails = true;
        let counted = if rails == 1 { "1 rail".to_owned() } else { format!("{rails} rails") };
        if let Some(emulator) = timeline.device.virtual_device() {
            self.omit(
                file,
                &format!("{counted} of an emulator ({}): not measured", emulator.title()),
            );
        } else if !has_scheduler(&timeline) {
            self.omit(file, &format!("{counted}, no scheduler: nothing to predict"));
        } else if let Err(why) = self.judge(&timeline, file) {
            self.omit(file, &why);
        }
    }

    fn omit(&mut self, file: &str, why: &str) {
        self.omitted.push(format!("{file}: {why}"));
    }

    fn judge(&mut self, timeline: &Timeline, file: &str) -> Result<(), String> {
        // No model of the user's own: one that was calibrated may have seen this device's rails.
        let estimate = wattle_power::estimate(timeline, &PowerOptions::default())
            .map_err(|error| error.to_string())?;
        let rails = judged_rails(timeline, &estimate, &self.options);
        let mut rails = rails.map_err(|error| error.to_string())?;
        if rails.is_empty() {
            return Err("too few rail periods of modelled components".to_owned());
        }
        for rail in &mut rails {
            rail.rail = label(&estimate, &rail.rail);
        }
        let device = timeline.device.device_name().or(timeline.device.model.as_deref());
        let device = device.unwrap_or("unknown device").to_owned();
        let number = self.of_device.entry(device.clone()).or_default();
        *number += 1;
        let device = if *number > 1 { format!("{device} {number}") } else { device };
        let model = estimate.model.map_or_else(|| "no model".to_owned(), |model| model.name);
        self.judged.push(RailTrace { file: file.to_owned(), device, model, rails });
        Ok(())
    }
}

/// Whether the trace says itself which thread ran when.
fn has_scheduler(timeline: &Timeline) -> bool {
    let has_slices = timeline.cpus.iter().any(|cpu| cpu.sched.iter().next().is_some());
    has_slices && !timeline.is_schedule_inferred()
}

/// The readable name of a rail, else its own.
fn label(estimate: &PowerEstimate, rail: &str) -> String {
    let summary = estimate.rails.iter().find(|summary| summary.name == rail);
    summary.and_then(|summary| summary.label.clone()).unwrap_or_else(|| rail.to_owned())
}
