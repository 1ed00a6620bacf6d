//! Regions by what their stacks have in common.

use wattle_diagnose::{Diagnosis, NO_COMMON_STACK, StackFrame};

use super::csv_field::Fields;
use crate::diagnosis::label::{self, Labels};

/// Intel's, then ours from `Region` on.
pub const COLUMNS: [&str; 18] = [
    "Process",
    "Thread ID",
    "Common Stack",
    "Region Start (s)",
    "Region End (s)",
    "Average CPU Usage (%)",
    "Region",
    "Group",
    "Group Average CPU Usage (%)",
    "Thread Name",
    "Majority Stack",
    "Stacks with Majority Stack (%)",
    "Stacks",
    "Stacks of Switches",
    "Energy (mJ)",
    "Energy Low (mJ)",
    "Energy High (mJ)",
    "Energy Saved if Asleep (mJ)",
];

/// A row a region, groups one after the other.
pub fn write(diagnosis: &Diagnosis, to: &mut Fields<'_>) -> std::io::Result<()> {
    for (number, group) in (1_u64..).zip(&diagnosis.groups) {
        for &index in &group.regions {
            let Some(region) = diagnosis.regions.get(index as usize) else { continue };
            let thread = diagnosis.thread(region.thread);
            let owner = thread.and_then(|thread| diagnosis.owner(thread));
            to.optional_text(owner.map(label::process).as_deref())?;
            to.optional_integer(thread.map(|thread| u64::from(thread.tid.0)))?;
            to.text(&stack(&group.stack))?;
            to.seconds(Some(diagnosis.since(region.window.start)))?;
            to.seconds(Some(diagnosis.since(region.window.end)))?;
            to.percent(Some(region.cpu_use))?;
            to.integer(u64::from(index) + 1)?;
            to.integer(number)?;
            to.percent(Some(group.cpu_use))?;
            to.optional_text(thread.and_then(|thread| thread.name.as_deref()))?;
            to.text(&stack(&region.stack.majority))?;
            let has_stacks = region.stack.stacks > 0;
            to.percent(has_stacks.then_some(region.stack.majority_share))?;
            to.integer(region.stack.stacks)?;
            to.integer(region.stack.switch_stacks)?;
            to.energy(region.energy)?;
            to.number(region.saved.map(|saved| saved.joules.value() * 1e3))?;
            to.end()?;
        }
    }
    Ok(())
}

fn stack(frames: &[StackFrame]) -> String {
    if frames.is_empty() { NO_COMMON_STACK.to_owned() } else { label::stack(frames) }
}
