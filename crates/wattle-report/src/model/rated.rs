//! The side of a comparison that a report is.

use wattle_ledger::Ledger;

use super::Report;
use crate::rating::Rated;
use crate::{Category, CategoryReference, Figure, RatedEnergy, RatedMeasure, ReportOptions};

impl Rated {
    /// Extracts the rated part of a report.
    pub fn from_report(report: &Report, measure: RatedMeasure) -> Self {
        let device = device_name(report);
        let found = figure(report, measure).and_then(|(figure, components)| {
            let factor = measure.factor(report.recording.duration);
            factor
                .map(|factor| (figure.scaled(factor), components))
                .ok_or_else(|| "the run took no time".to_owned())
        });
        match found {
            Ok((figure, components)) => Self { figure: Ok(figure), components, device },
            Err(reason) => Self { figure: Err(reason), components: Vec::new(), device },
        }
    }
}

impl Category {
    /// Adds a ledger: the app that it was recorded of, or else one of those named. What cannot be compared is left out with the
    /// reason.
    pub fn add_ledger(&mut self, name: &str, ledger: &Ledger, apps: &[String]) {
        match reference(self.measure, name, ledger, apps) {
            Ok(reference) => self.references.push(reference),
            Err(reason) => self.leave_out(name, &reason),
        }
    }
}

fn reference(
    measure: RatedMeasure,
    name: &str,
    ledger: &Ledger,
    apps: &[String],
) -> Result<CategoryReference, String> {
    let mut options = ReportOptions::default();
    if measure.energy == RatedEnergy::App {
        let own = if ledger.recording.apps.is_empty() { apps } else { &ledger.recording.apps };
        own.clone_into(&mut options.apps);
    }
    let report = Report::new(ledger, &options);
    let (figure, components) = figure(&report, measure)?;
    let value = measure
        .factor(report.recording.duration)
        .zip(figure.joules())
        .map(|(factor, joules)| joules.value() * factor)
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "no energy figure".to_owned())?;
    Ok(CategoryReference {
        name: name.to_owned(),
        value,
        provenance: figure.provenance(),
        device: device_name(&report),
        components,
    })
}

/// The figure that a measure asks for, and what it is the sum of.
fn figure(report: &Report, measure: RatedMeasure) -> Result<(Figure, Vec<String>), String> {
    let figure = match measure.energy {
        RatedEnergy::Device => report.energy.total,
        RatedEnergy::App => match &report.software.app {
            Some(app) => app.energy,
            None => return Err("which app it was recorded of is not known".to_owned()),
        },
    };
    if figure.0.is_none() {
        let missing = report.software.app.as_ref().filter(|_| measure.energy == RatedEnergy::App);
        let missing = missing.and_then(|app| app.missing.first());
        return Err(match missing {
            Some(package) => format!("no process of {package} in it"),
            None => "no energy figure".to_owned(),
        });
    }
    // All that was watched: an app that used less of it is not another measure.
    let watched = report.hardware.components.iter().filter(|row| row.energy.0.is_some());
    let mut components: Vec<String> = watched.map(|row| row.name.clone()).collect();
    components.sort();
    Ok((figure, components))
}

/// Returns the name of a device in a comparison.
fn device_name(report: &Report) -> Option<String> {
    let device = &report.recording.device;
    device.model.as_deref().or(device.device_name()).map(str::to_owned)
}
