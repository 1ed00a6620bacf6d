//! Figures of each region.

use wattle_diagnose::{Diagnosis, RegionKind};

use super::csv_field::Fields;
use crate::diagnosis::label::{self, Labels};

/// Intel's, then ours from `Region` on.
pub const COLUMNS: [&str; 28] = [
    "Process",
    "Thread ID",
    "Region Start (s)",
    "Region End (s)",
    "Events of this Thread (% of Process in Region)",
    "Average CPU Usage (%)",
    "Event Count",
    "Mean Interval between Events (ms)",
    "Coefficient of Variation of Intervals",
    "Region",
    "Thread Name",
    "Found as",
    "Events of this Thread (% of Machine in Region)",
    "CPU Time (ms)",
    "Average CPU Usage of all Cores (%)",
    "Period (ms)",
    "Intervals of that Period (%)",
    "Wake-ups (1/s)",
    "Power (mW)",
    "Energy (mJ)",
    "Energy Low (mJ)",
    "Energy High (mJ)",
    "Energy Provenance",
    "Energy Saved if Asleep (mJ)",
    "Saved Low (mJ)",
    "Saved High (mJ)",
    "Saved Provenance",
    "Group",
];

/// A row a region, highest CPU use first.
pub fn write(diagnosis: &Diagnosis, to: &mut Fields<'_>) -> std::io::Result<()> {
    for (number, region) in (1_u64..).zip(&diagnosis.regions) {
        let thread = diagnosis.thread(region.thread);
        let owner = thread.and_then(|thread| diagnosis.owner(thread));
        to.optional_text(owner.map(label::process).as_deref())?;
        to.optional_integer(thread.map(|thread| u64::from(thread.tid.0)))?;
        to.seconds(Some(diagnosis.since(region.window.start)))?;
        to.seconds(Some(diagnosis.since(region.window.end)))?;
        to.percent(Some(region.share_of_process))?;
        to.percent(Some(region.cpu_use))?;
        to.integer(region.events)?;
        to.milliseconds(region.mean_interval)?;
        to.number(region.interval_variation)?;
        to.integer(number)?;
        to.optional_text(thread.and_then(|thread| thread.name.as_deref()))?;
        to.word(match region.kind {
            RegionKind::Cluster => "cluster",
            RegionKind::SingleEvent => "single event",
        })?;
        to.percent(Some(region.share_of_machine))?;
        to.milliseconds(Some(region.cpu))?;
        to.percent(Some(region.cpu_use_of_machine))?;
        to.milliseconds(region.period)?;
        to.percent(region.period_share)?;
        to.number(Some(region.wakeups_per_second))?;
        to.number(region.watts.map(|watts| watts * 1e3))?;
        to.energy(region.energy)?;
        let provenance = region.energy.map(|energy| energy.provenance.to_string());
        to.word(provenance.as_deref().unwrap_or_default())?;
        to.energy(region.saved)?;
        let provenance = region.saved.map(|saved| saved.provenance.to_string());
        to.word(provenance.as_deref().unwrap_or_default())?;
        to.integer(u64::from(region.group) + 1)?;
        to.end()?;
    }
    Ok(())
}
