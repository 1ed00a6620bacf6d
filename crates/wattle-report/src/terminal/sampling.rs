//! The information in samples of stacks, and its limits.

use super::style::Style::{self, Plain};
use super::terminal_page::Page;
use crate::cells::{joules, time};
use crate::{Figure, SamplingReport};

impl Page<'_> {
    /// Lines among those of quality.
    pub(super) fn sampling(&self, to: &mut String) {
        let Some(sampling) = &self.report.software.sampling else { return };
        let SamplingReport { samples, event, others, .. } = sampling;
        let others = match others {
            0 => String::new(),
            others => format!(", {others} of other events that are not used"),
        };
        let inferred =
            if sampling.is_schedule_inferred { "; time on CPUs is inferred from them" } else { "" };
        let line = format!("stacks: {samples} samples of {event}{others}{inferred}");
        self.line_indented(to, Plain, &line);
        let energy = |figure: Figure| match figure.0 {
            Some(_) => format!(", {}", joules(figure)),
            None => String::new(),
        };
        let lost = sampling.truncated.saturating_add(sampling.without_stack);
        if lost > 0 {
            let line = format!(
                "stacks that end before the thread's first function: {} samples, {} without any{}",
                sampling.truncated,
                sampling.without_stack,
                energy(sampling.truncated_energy)
            );
            self.line_indented(to, Style::Warning, &line);
        }
        if sampling.unknown_energy.joules().is_some_and(|it| it.value() > 0.0) {
            let line = format!(
                "functions without a name{}: see --symbols",
                energy(sampling.unknown_energy)
            );
            self.line_indented(to, Plain, &line);
        }
        if sampling.unsampled.value() > 0 {
            let line = format!(
                "time on CPUs that no sample stands for: {}{}",
                time(Some(sampling.unsampled)),
                energy(sampling.unsampled_energy)
            );
            self.line_indented(to, Plain, &line);
        }
    }
}
