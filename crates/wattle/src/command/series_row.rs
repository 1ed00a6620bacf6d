//! A run of a series, from its report.

use wattle_report::{ComponentRow, EnergyPart, Figure, Report, SeriesRun};

/// A run that passed, with the figures of its report; without one it has none.
pub fn of_report(number: u32, report: Option<&Report>) -> SeriesRun {
    SeriesRun {
        number,
        name: None,
        build: None,
        outcome: "passed".to_owned(),
        message: None,
        duration: report.map(|report| report.recording.duration),
        coverage: report
            .and_then(|report| report.energy.coverage.as_ref())
            .map(|coverage| coverage.text.clone()),
        no_energy_reason: report.and_then(|report| report.energy.no_energy_reason.clone()),
        total: report.map_or(Figure::NO_DATA, |report| report.energy.total),
        app: report
            .and_then(|report| report.software.app.as_ref())
            .map_or(Figure::NO_DATA, |app| app.energy),
        human: report.and_then(|report| match &report.software.app {
            Some(app) if app.human.is_some() => app.human.clone(),
            _ => report.energy.human.clone(),
        }),
        components: report.map_or_else(Vec::new, components),
        methods: Vec::new(),
    }
}

/// The compared energy by component: the app's, if an app was looked at.
fn components(report: &Report) -> Vec<EnergyPart> {
    let of_app = report.software.app.as_ref().filter(|app| app.energy.joules().is_some());
    let rows = of_app.map_or(&report.hardware.components, |app| &app.components);
    let part = |row: &ComponentRow| {
        let estimate = row.energy.0?;
        let name = row.name.clone();
        Some(EnergyPart { name, joules: estimate.joules, interval: estimate.interval })
    };
    rows.iter().filter_map(part).collect()
}
