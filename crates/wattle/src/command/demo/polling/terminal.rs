//! The table on a terminal.

use std::fmt::Write as _;

use wattle_units::{Nanos, Si};

use super::REFERENCE;
use super::summary::{Row, Run, Summary};

/// The page.
pub fn page(summary: &Summary) -> String {
    let mut text = String::new();
    let seeds: Vec<String> = summary.seeds.iter().map(u64::to_string).collect();
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "A simulated phone opened a web page five times, three seconds apart, while a shell polled the counters of its\n\
         network at a period (seeds {}). What the counters rose by was shared among the low-level calls that ran;\n\
         truth is what each call moved. Beside it: what Hitani and others measured on their phone.\n",
        seeds.join(", ")
    );
    let _ = writeln!(
        text,
        "{:>7}  {:^15}  {:^15}  {:^17}  {:>8}  {:>14}",
        "", "total error", "allocation", "the poller itself", "run time", "the paper"
    );
    let _ = writeln!(
        text,
        "{:>7}  {:^15}  {:^15}  {:>8} {:>8}  {:>8}  {:>13}  {:>7}",
        "period", "", "error, 10⁶ B²", "CPU", "energy", "", "total error", "10⁶ B²"
    );
    for row in &summary.rows {
        let _ = writeln!(text, "{}", line(row));
    }
    let _ = writeln!(
        text,
        "\nTotal error: what of the counted bytes went to no call, in two runs. Allocation error: variance over calls of\n\
         what a hook around the call counts, less what it was given. The poller: what of its time and energy is booked\n\
         as profiling overhead, mean of both runs of 18.5 s. Run time: of a task that shares the only core of a phone\n\
         with the poller, relative to that at {REFERENCE} ms; the paper had about {} times at 100 ms.",
        summary.paper_run_time_at_100_ms
    );
    text
}

fn line(row: &Row) -> String {
    let both =
        |value: fn(&Run) -> String| row.runs.iter().map(value).collect::<Vec<_>>().join(" / ");
    let mean = |value: fn(&Run) -> f64| {
        row.runs.iter().map(value).sum::<f64>() / row.runs.len().max(1) as f64
    };
    let total = both(|run| format!("{:.2} %", run.total_error * 100.0));
    let allocation = both(|run| millions(run.allocation_variance));
    let cpu = Nanos::from_seconds(mean(|run| run.poller_cpu_s));
    let energy = Si { value: mean(|run| run.poller_joules.value()), unit: "J" };
    let (paper_total, paper_allocation) = row.paper.map_or_else(
        || (String::new(), String::new()),
        |paper| {
            let [one, other] = paper.total_error.map(|error| format!("{:.2}", error * 100.0));
            (format!("{one} / {other} %"), millions(paper.allocation_variance))
        },
    );
    let text = format!(
        "{:>4} ms  {total:>15}  {allocation:>15}  {:>8} {:>8}  {:>8.3}  {paper_total:>13}  {paper_allocation:>7}",
        row.period_ms,
        cpu.to_string(),
        energy.to_string(),
        mean(|run| run.task_relative),
    );
    text.trim_end().to_owned()
}

fn millions(value: f64) -> String {
    format!("{:.2}", value * 1e-6)
}
