//! Energy of hardware: components, accounts, CPUs, rails, battery, totals according to other models.

use wattle_power::DrainedBy;

use super::listing::Listing;
use super::style::Style::{Dim, Plain};
use super::terminal_page::Page;
use crate::cells::{Seconds, bounds, joules, range, signed_percent};

impl Page<'_> {
    pub(super) fn components(&self, to: &mut String) {
        let rows = &self.report.hardware.components;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Components");
        self.table(&Listing::new(rows.iter().collect()).table(), to);
    }

    pub(super) fn accounts(&self, to: &mut String) {
        let rows = &self.report.hardware.accounts;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Attribution");
        self.table(&Listing::new(rows.iter().collect()).table(), to);
        let handlers = &self.report.hardware.interrupts;
        if !handlers.is_empty() {
            to.truncate(to.trim_end().len());
            to.push('\n');
            let named: Vec<_> = handlers
                .iter()
                .take(4)
                .map(|row| format!("{} {}", row.name, joules(row.energy)))
                .collect();
            let more = handlers.len().saturating_sub(named.len());
            let more = if more > 0 { format!(", {more} more") } else { String::new() };
            self.line_indented(to, Dim, &format!("interrupts: {}{more}", named.join(", ")));
            to.push('\n');
        }
    }

    pub(super) fn cpus(&self, to: &mut String) {
        let rows = &self.report.hardware.cpus;
        if rows.iter().all(|row| row.core.0.is_none() && row.busy.is_none()) {
            return;
        }
        self.heading(to, "CPUs");
        let mut table = Listing::new(rows.iter().collect()).table();
        if self.report.hardware.cpu_shared.0.is_some() {
            let shared = self.report.hardware.cpu_shared;
            table.row(["shared".to_owned(), joules(shared), range(shared), String::new()]);
        }
        self.table(&table, to);
        if rows.iter().any(|row| row.is_virtual) {
            to.truncate(to.trim_end().len());
            to.push('\n');
            let line = "virtual: any CPU of the device; the recording does not contain which one a thread ran on";
            self.line_indented(to, Dim, line);
            to.push('\n');
        }
    }

    pub(super) fn rails(&self, to: &mut String) {
        let rows = &self.report.hardware.rails;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Rails");
        self.table(&Listing::new(rows.iter().collect()).table(), to);
    }

    pub(super) fn battery(&self, to: &mut String) {
        let Some(battery) = &self.report.hardware.battery else { return };
        let by_meter = battery.by == DrainedBy::Meter;
        self.heading(to, if by_meter { "Power meter" } else { "Battery" });
        let (drained_word, covered_word) =
            if by_meter { ("measured", "recorded") } else { ("drained", "polled") };
        let covered = Seconds(battery.covered);
        if let (Some(drained), Some(accounted)) = (battery.drained.0, battery.accounted.joules()) {
            let line = format!(
                "{drained_word} {}{}, {}, over {} of {covered} {covered_word}",
                drained.joules,
                bounds(battery.drained, ""),
                drained.provenance,
                Seconds(battery.discharging),
            );
            self.line_indented(to, Plain, &line);
            let line = format!(
                "accounted for in the same time: {accounted} ({})",
                signed_percent(battery.disagreement)
            );
            self.line_indented(to, Plain, &line);
        } else {
            let line = format!("not seen to discharge in {covered} polled");
            self.line_indented(to, Plain, &line);
        }
        self.line_indented(to, Dim, &battery.reading);
        to.push('\n');
    }

    pub(super) fn spread(&self, to: &mut String) {
        let rows = &self.report.hardware.spread;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "CPU energy under each model that applies");
        self.table(&Listing::new(rows.iter().collect()).table(), to);
    }
}
