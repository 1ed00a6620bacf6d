//! From a timeline with its energy to a diagnosis.

use wattle_timeline::{Note, Severity};

use crate::chart::chart;
use crate::disk_rows::disk_rows;
use crate::energy::{Energies, IdlePower};
use crate::events::collect;
use crate::region_rows::{Sources, region_rows};
use crate::survey::Survey;
use crate::{
    DiagnoseError, DiagnoseOptions, Diagnosis, DiagnosisParts, Input, RuleCoverage, SCHEMA,
    UseChart, idle_search, option_check, subjects,
};

/// Looks for regions and by rules.
pub fn diagnose(input: Input<'_>, options: &DiagnoseOptions) -> Result<Diagnosis, DiagnoseError> {
    option_check::check(options)?;
    let Input { timeline, power, ledger } = input;
    let mut notes = Vec::new();
    let window = options.window.map_or(timeline.window, |w| w.intersect(timeline.window));
    let chosen = subjects::choose(timeline, &options.processes, &mut notes)?;
    let idle = idle_search::idle(timeline, window, &options.idle, &chosen.asked);
    let wanted = chosen.wanted();
    let has_regions = options.parts == DiagnosisParts::All;
    let energies = has_regions.then(|| Energies::new(timeline, ledger, &wanted)).flatten();
    let collected = collect(timeline, &idle.windows, &wanted);
    let survey = Survey::new(timeline, &chosen, collected, &idle.windows, energies.as_ref());
    let mut diagnosis = Diagnosis {
        schema: SCHEMA.to_owned(),
        artifacts: timeline.quality.artifacts.iter().map(|it| it.name.clone()).collect(),
        device: timeline.device.clone(),
        origin: timeline.window.start,
        window,
        model: power.model.clone(),
        idle,
        region_options: options.regions.clone(),
        stack_options: options.stacks.clone(),
        subjects: Vec::new(),
        threads: Vec::new(),
        regions: Vec::new(),
        groups: Vec::new(),
        disk: Vec::new(),
        rules: RuleCoverage::default(),
        findings: Vec::new(),
        accepted: Vec::new(),
        chart: UseChart::default(),
        notes,
    };
    let idle_power = has_regions.then(|| IdlePower::new(timeline, &power.tracks)).flatten();
    if has_regions {
        let sources = Sources {
            timeline,
            survey: &survey,
            looked: &diagnosis.idle.windows,
            energies: energies.as_ref(),
            idle_power: idle_power.as_ref(),
            regions: &options.regions,
            stacks: &options.stacks,
        };
        let (regions, groups) = region_rows(&sources, &mut diagnosis.notes);
        diagnosis.disk = disk_rows(timeline, &survey.threads, &regions, &diagnosis.idle.windows);
        (diagnosis.regions, diagnosis.groups) = (regions, groups);
        diagnosis.chart = chart(timeline, window, &survey.threads);
    }
    diagnosis.subjects = survey.subjects;
    diagnosis.threads = survey.threads;
    say_what_was_lost(input, &mut diagnosis.notes);
    if has_regions {
        say_what_is_missing(input, idle_power.is_some(), &mut diagnosis.notes);
    }
    crate::rules::find(input, options, &mut diagnosis)?;
    Ok(diagnosis)
}

/// Adds notes on data lost while recording or reading, and on substitutes for unknown values.
fn say_what_was_lost(input: Input<'_>, notes: &mut Vec<Note>) {
    let artifacts = &input.timeline.quality.artifacts;
    for artifact in artifacts {
        let name = &artifact.name;
        if artifact.lost_events > 0 {
            let text = format!("{name}: events that the recorder itself says it lost");
            let note = Note::new(Severity::Error, "events-lost", text);
            notes.push(note.times(artifact.lost_events));
        }
        let grave = artifact.notes.iter().filter(|note| note.severity >= Severity::Warning);
        notes.extend(
            grave.map(|note| Note { text: format!("{name}: {}", note.text), ..note.clone() }),
        );
    }
    let later = input.ledger.quality.notes.iter();
    notes.extend(later.filter(|note| note.severity >= Severity::Warning).cloned());
}

/// Adds notes on data that the recording or the ledger lacks for regions to be complete.
fn say_what_is_missing(input: Input<'_>, is_idle_known: bool, notes: &mut Vec<Note>) {
    let Input { timeline, ledger, .. } = input;
    let mut say = |code: &str, text: &str| notes.push(Note::new(Severity::Warning, code, text));
    if timeline.cpus.iter().all(|cpu| cpu.sched.is_empty()) {
        say("no-schedule", "nothing tells which thread ran when: regions cannot be looked for");
        return;
    }
    if timeline.is_schedule_inferred() {
        say(
            "regions-of-samples",
            "who ran when comes from samples: how often threads came to a CPU is only known from silences between them, \
             and periods and regular wake-ups are not looked for",
        );
    }
    if ledger.rows.components.is_empty() {
        say("no-energy", "no power is known: regions have no energy");
    } else if ledger.over_time.stretches.is_empty() {
        say(
            "no-energy-over-time",
            "the ledger does not say when energy was drawn: regions have none",
        );
    } else if !is_idle_known {
        say("no-idle-power", "no core was seen idle: what there was to save is not known");
    }
}
