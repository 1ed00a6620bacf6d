//! What hardware drew: components, accounts, CPUs, rails, battery, other models' word.

use wattle_power::DrainedBy;

use super::cells::{
    Seconds, bar, bounds, joules, mean, percent, provenance, range, signed_percent, time,
};
use super::page::Page;
use super::style::Style::{Bar, Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;

impl Page<'_> {
    pub(super) fn components(&self, to: &mut String) {
        let rows = &self.report.components;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Components");
        let mut table = Table::new(
            &[
                ("component", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("mean", Right, Plain),
                ("share", Right, Plain),
                ("", Left, Bar),
                ("provenance", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.name.clone(),
                joules(row.energy),
                range(row.energy),
                mean(row.energy, self.report.duration),
                percent(row.share),
                bar(row.share),
                provenance(row.energy),
            ]);
        }
        self.table(&table, to);
    }

    pub(super) fn accounts(&self, to: &mut String) {
        let rows = &self.report.accounts;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Accounts");
        let mut table = Table::new(
            &[
                ("who pays", Left, Plain),
                ("what for", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("share", Right, Plain),
                ("", Left, Bar),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.name.clone(),
                row.charge.replace('-', " "),
                joules(row.energy),
                range(row.energy),
                percent(row.share),
                bar(row.share),
            ]);
        }
        self.table(&table, to);
        let handlers = &self.report.interrupts;
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
        let rows = &self.report.cpus;
        if rows.iter().all(|row| row.core.0.is_none() && row.busy.is_none()) {
            return;
        }
        self.heading(to, "CPUs");
        let mut table = Table::new(
            &[
                ("cpu", Right, Plain),
                ("core energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("busy", Right, Plain),
            ],
            &[],
        );
        for row in rows {
            table.row([row.cpu.to_string(), joules(row.core), range(row.core), time(row.busy)]);
        }
        if self.report.cpu_shared.0.is_some() {
            let shared = self.report.cpu_shared;
            table.row(["shared".to_owned(), joules(shared), range(shared), String::new()]);
        }
        self.table(&table, to);
    }

    pub(super) fn rails(&self, to: &mut String) {
        let rows = &self.report.rails;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Rails");
        let mut table = Table::new(
            &[
                ("rail", Left, Plain),
                ("component", Left, Dim),
                ("measured", Right, Strong),
                ("model says", Right, Plain),
                ("off by", Right, Plain),
                ("samples", Right, Plain),
                ("in total", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            let label = row.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
            table.row([
                format!("{}{label}", row.name),
                row.component.clone(),
                joules(row.energy),
                joules(row.modelled),
                signed_percent(row.disagreement),
                row.samples.to_string(),
                if row.booked { "yes" } else { "no" }.to_owned(),
            ]);
        }
        self.table(&table, to);
    }

    pub(super) fn battery(&self, to: &mut String) {
        let Some(battery) = &self.report.battery else { return };
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
        let rows = &self.report.spread;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "CPU energy under each model that applies");
        let mut table = Table::new(
            &[
                ("model", Left, Plain),
                ("kind", Left, Dim),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("provenance", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.model.name.clone(),
                row.model.kind.clone(),
                joules(row.cpu),
                range(row.cpu),
                provenance(row.cpu),
            ]);
        }
        self.table(&table, to);
    }
}
