//! Cost of recording, in words.

use super::style::Style::{Dim, Plain};
use super::terminal_page::Page;
use crate::cells::{NO_DATA, Seconds, bounds, grouped, joules, name, percent, time};
use crate::model::{ProbeCostRow, ProbesReport};

/// Recorders, and processes with probes, that have a line of their own.
const MOST: usize = 8;

impl Page<'_> {
    pub(super) fn overhead(&self, to: &mut String) {
        let Some(overhead) = &self.report.trust.overhead else { return };
        let share = overhead.share.map(|_| format!(", {} of the total", percent(overhead.share)));
        let line = format!(
            "profiling overhead: {}{}{}",
            joules(overhead.energy),
            bounds(overhead.energy, ""),
            share.unwrap_or_default()
        );
        self.line_indented(to, Plain, &line);
        if let Some(probes) = &overhead.probes {
            self.line_indented(to, Plain, &format!("probes: {}", words(probes)));
            for cost in probes.costs.iter().take(MOST) {
                self.line_indented(to, Dim, &pair(cost));
            }
        }
        for recorder in overhead.recorders.iter().take(MOST) {
            let process = name(&recorder.name);
            let who = match &recorder.thread {
                Some(thread) => format!("thread {} of {process}", name(thread)),
                None => process,
            };
            let pid = recorder.pid.map(|pid| format!(" ({pid})")).unwrap_or_default();
            let line = format!(
                "recorder {who}{pid}: {} on a CPU, {}",
                time(recorder.cpu),
                joules(recorder.energy)
            );
            self.line_indented(to, Plain, &line);
        }
        let more = overhead.recorders.len().saturating_sub(MOST);
        if more > 0 {
            self.line_indented(to, Dim, &format!("and {more} more recorders"));
        }
    }
}

fn words(probes: &ProbesReport) -> String {
    let unpriced = match probes.unpriced {
        0 => String::new(),
        unpriced => format!("; of {} events no cost is known", grouped(unpriced)),
    };
    format!(
        "{} events, {} on a CPU, {}{}{unpriced}",
        grouped(probes.events),
        Seconds(probes.cpu),
        joules(probes.energy),
        bounds(probes.energy, "")
    )
}

fn pair(cost: &ProbeCostRow) -> String {
    let of = cost.pid.map_or_else(|| "elsewhere".to_owned(), |pid| format!("in process {pid}"));
    let inside =
        if cost.inside.value() > 0 { Seconds(cost.inside).to_string() } else { NO_DATA.into() };
    format!(
        "a pair of probes {of}: {} [{} – {}], {inside} of it inside the slice, {} timed",
        Seconds(cost.pair),
        Seconds(cost.low),
        Seconds(cost.high),
        grouped(u64::from(cost.pairs))
    )
}
