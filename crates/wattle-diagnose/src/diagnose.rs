//! From a timeline with its energy to a diagnosis.

use wattle_ledger::Ledger;
use wattle_power::PowerEstimate;
use wattle_timeline::Timeline;

use crate::{DiagnoseError, DiagnoseOptions, Diagnosis, SCHEMA};

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What happened.
    pub timeline: &'a Timeline,
    /// The power that it took.
    pub power: &'a PowerEstimate,
    /// Who paid; with stretches ([`wattle_ledger::AttributionOptions::keep_stretches`]), which regions get their energy from.
    pub ledger: &'a Ledger,
}

/// Looks for regions and by rules.
pub fn diagnose(input: Input<'_>, options: &DiagnoseOptions) -> Result<Diagnosis, DiagnoseError> {
    let timeline = input.timeline;
    let window = options.window.map_or(timeline.window, |w| w.intersect(timeline.window));
    let mut diagnosis = Diagnosis {
        schema: SCHEMA.to_owned(),
        artifacts: timeline.quality.artifacts.iter().map(|it| it.name.clone()).collect(),
        device: timeline.device.clone(),
        window,
        model: input.power.model.clone(),
        idle: crate::IdleIntervals::default(),
        region_options: options.regions.clone(),
        stack_options: options.stacks.clone(),
        subjects: Vec::new(),
        threads: Vec::new(),
        regions: Vec::new(),
        groups: Vec::new(),
        disk: Vec::new(),
        findings: Vec::new(),
        chart: crate::UseChart::default(),
        notes: Vec::new(),
    };
    crate::rules::find(input, options, &mut diagnosis)?;
    Ok(diagnosis)
}
