//! Subjects, device, model and time of a diagnosis.

use wattle_diagnose::{IdleSource, RECORDERS_LEFT_OUT, Subject};
use wattle_timeline::{Note, Severity};
use wattle_units::{Nanos, Provenance};

use super::wide_table::{Column, ColumnSet, write};
use super::{View, energy, interval};
use crate::NoEnergy;
use crate::cells::{Seconds, grouped, percent};
use crate::diagnosis::label;
use crate::model::{device_facts, length_fact};
use crate::terminal::style::Style::{Dim, Error, Plain, Strong, Warning};
use crate::terminal::text_table::Align::{Left, Right};

impl View<'_> {
    pub(super) fn head(&self, to: &mut String) {
        let diagnosis = self.diagnosis;
        let mut facts = device_facts(&diagnosis.device);
        facts.extend(length_fact(diagnosis.window.duration()));
        self.heading(to, &facts.join(" · "));
        for artifact in &diagnosis.artifacts {
            self.lines(to, Dim, 0, artifact);
        }
        self.errors(to);
        to.push('\n');
    }

    /// The basis of findings, regions and stacks: the model, the idle time, the processes.
    pub(super) fn basis(&self, to: &mut String) {
        self.heading(to, "Basis");
        self.model(to);
        self.idle(to);
        to.push('\n');
        self.subjects(to);
    }

    /// The worst errors of the input, beside what they make less sure.
    fn errors(&self, to: &mut String) {
        let notes = self.diagnosis.notes.iter();
        let errors: Vec<&str> = notes
            .filter(|note| note.severity == Severity::Error)
            .map(|note| note.text.as_str())
            .collect();
        match errors.as_slice() {
            [] => {}
            [only] => self.lines(to, Error, 0, &format!("error: {only}")),
            [first, second, ..] => {
                let line = format!("{} errors, such as: {first}; {second}", errors.len());
                self.lines(to, Error, 0, &line);
            }
        }
    }

    fn model(&self, to: &mut String) {
        let Some(model) = &self.diagnosis.model else {
            if self.diagnosis.findings.iter().any(|finding| finding.at_stake.is_some()) {
                let line = "energy of findings only, from the times of the hardware that they are about; no model of the CPUs applies, so processes \
                            and stacks have none (the energy of the whole recording: `wattle report`)";
                return self.lines(to, Plain, 2, line);
            }
            let line =
                format!("no energy of processes: {}", NoEnergy::for_diagnosis(self.diagnosis));
            return self.lines(to, Warning, 2, &line);
        };
        let line = format!("model: {} ({}), by {}", model.name, model.kind, model.chosen);
        self.lines(to, Plain, 2, &line);
        let line = format!("{}, version {}, {}", model.provenance, model.version, model.source);
        self.lines(to, Dim, 2, &line);
        if model.provenance == Provenance::Assumed {
            let line = "ASSUMED: this model was not made for this device. Energies show what is large and what is small; their intervals say how far they may be off.";
            self.lines(to, Warning, 2, line);
        }
    }

    fn idle(&self, to: &mut String) {
        let idle = &self.diagnosis.idle;
        let length: i64 = idle
            .windows
            .iter()
            .fold(0_i64, |sum, window| sum.saturating_add(window.duration().value()));
        let count = idle.windows.len();
        let source = match idle.source {
            IdleSource::Given => "as given",
            IdleSource::Found => "as found",
            IdleSource::Whole => "all of the recording",
            IdleSource::Unknown => {
                let line = format!(
                    "no idle time is known{}{}; rules about idle time did not look (--idle FROM..TO says when nothing should have happened)",
                    if idle.why.is_empty() { "" } else { ": " },
                    idle.why
                );
                return self.lines(to, Plain, 2, &line);
            }
        };
        let why = Some(&idle.why).filter(|why| idle.source == IdleSource::Found && !why.is_empty());
        let line = format!(
            "idle {source}: {} in {count} interval{}{}",
            Seconds(Nanos::new(length)),
            if count == 1 { "" } else { "s" },
            why.map_or(String::new(), |why| format!("; {why}"))
        );
        self.lines(to, Plain, 2, &line);
    }

    fn subjects(&self, to: &mut String) {
        let subjects = &self.diagnosis.subjects;
        if subjects.is_empty() {
            self.lines(to, Warning, 0, "No process was looked at.");
            to.push('\n');
            return;
        }
        let when = match self.diagnosis.idle.source {
            IdleSource::Given | IdleSource::Found => ", in idle time",
            IdleSource::Whole | IdleSource::Unknown => "",
        };
        let heading = format!("Processes that were looked at{when} ({})", subjects.len());
        self.heading(to, &heading);
        let rows: Vec<_> = subjects.iter().take(self.top).collect();
        let columns: [Column<&Subject>; 5] = [
            Column {
                heading: "process (pid)",
                align: Left,
                style: Plain,
                rank: 0,
                cell: |row| label::process(row),
            },
            Column {
                heading: "CPU time",
                align: Right,
                style: Plain,
                rank: 0,
                cell: |row| Seconds(row.cpu).to_string(),
            },
            Column {
                heading: "events",
                align: Right,
                style: Plain,
                rank: 1,
                cell: |row| grouped(row.events),
            },
            Column {
                heading: "energy",
                align: Right,
                style: Strong,
                rank: 0,
                cell: |row| energy(row.energy),
            },
            Column {
                heading: "90 % interval",
                align: Left,
                style: Dim,
                rank: 2,
                cell: |row| interval(row.energy),
            },
        ];
        let set = ColumnSet { columns: &columns, elastic: &["process (pid)"] };
        write(&set, &rows, self.columns, self.painter, to);
        self.more(to, subjects.len());
        let mut notes = self.diagnosis.notes.iter();
        if let Some(note) = notes.find(|note| note.code == RECORDERS_LEFT_OUT) {
            self.lines(to, Dim, 2, &note.text);
        }
        to.push('\n');
    }

    pub(super) fn notes(&self, to: &mut String) {
        // Whom it leaves out is said beside whom it names.
        let is_here = |note: &&Note| note.code != RECORDERS_LEFT_OUT;
        let notes: Vec<&Note> = self.diagnosis.notes.iter().filter(is_here).collect();
        if notes.is_empty() {
            return;
        }
        self.heading(to, "Notes");
        for note in notes {
            let style = match note.severity {
                Severity::Info => Dim,
                Severity::Warning => Warning,
                Severity::Error => Error,
            };
            let times = if note.count > 1 {
                format!(" ({} times)", grouped(note.count))
            } else {
                String::new()
            };
            self.lines(to, style, 2, &format!("{}: {}{times}", note.code, note.text));
        }
    }

    /// A share, with two words where there is none.
    pub(super) fn share(share: f64) -> String {
        percent(Some(share).filter(|share| share.is_finite()))
    }
}
