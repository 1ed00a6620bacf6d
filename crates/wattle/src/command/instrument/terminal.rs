//! The summary as people read it.

use wattle_report::grouped;

use super::summary::Summary;
use crate::command::line::{counted, push as push_line};

/// Methods that are named one by one; the JSON summary names all.
const NAMED: usize = 10;
/// The sink whose cost is published.
const TRACE: &str = "trace";

/// The summary as text.
pub fn text(summary: &Summary) -> String {
    let mut out = String::new();
    counts(summary, &mut out);
    exceptions(summary, &mut out);
    files(summary, &mut out);
    out
}

fn counts(summary: &Summary, out: &mut String) {
    let (probed, all) = (summary.counts.methods_probed, summary.counts.methods_with_code);
    let share = if all == 0 {
        String::new()
    } else {
        format!(" ({:.1} %)", 100.0 * probed as f64 / all as f64)
    };
    let line = format!(
        "{} of {}{share}, in {}, {} probes; sink: {}",
        grouped(probed),
        counted(all, "method with code", "methods with code"),
        counted(summary.counts.classes, "class", "classes"),
        have(probed),
        summary.sink,
    );
    push_line(out, &line);
    if summary.mode != "methods" {
        let calls = summary.counts.api_call_sites;
        let subject = counted(calls, "call into the framework", "calls into the framework");
        push_line(out, &format!("{subject} {} probes", have(calls)));
    }
    for (reason, number) in &summary.counts.call_reasons {
        push_line(out, &format!("  {:>9}  calls: {}", grouped(*number), reason.text()));
    }
    if !summary.own_packages.is_empty() {
        push_line(out, &format!("the app's own packages: {}", summary.own_packages.join(", ")));
    }
    for (reason, number) in &summary.counts.reasons {
        push_line(out, &format!("  {:>9}  {}", grouped(*number), reason.explanation()));
    }
}

fn exceptions(summary: &Summary, out: &mut String) {
    for left_out in summary.counts.left_out.iter().take(NAMED) {
        push_line(out, &format!("left out   {} ({})", left_out.method, left_out.reason));
    }
    if summary.counts.left_out.len() > NAMED {
        let more = summary.counts.left_out.len() - NAMED;
        push_line(out, &format!("left out   {more} more, see --json"));
    }
    for dropped in &summary.dropped {
        push_line(out, &format!("removed    {dropped}: invalid after the code has changed"));
    }
    for note in &summary.notes {
        push_line(out, &format!("note       {note}"));
    }
}

fn files(summary: &Summary, out: &mut String) {
    let growth = if summary.bytes_in == 0 {
        String::new()
    } else {
        let factor = summary.bytes_out as f64 / summary.bytes_in as f64;
        format!(" ({:+.1} %)", 100.0 * (factor - 1.0))
    };
    let line = format!(
        "size       {} → {} bytes{growth}, {:.2} s",
        grouped(summary.bytes_in),
        grouped(summary.bytes_out),
        summary.seconds.get("total").copied().unwrap_or_default(),
    );
    push_line(out, &line);
    if summary.counts.methods_probed > 0 {
        push_line(out, &cost(summary));
    }
    if summary.dry_run {
        push_line(out, "nothing was written (--dry-run)");
        return;
    }
    for path in &summary.output {
        push_line(out, &format!("wrote      {path}"));
    }
    if let Some(origin) = &summary.signed_with {
        push_line(out, &format!("signed     with {origin}"));
    }
    let short: String = summary.map.id.chars().take(8).collect();
    push_line(out, &format!("probe map  {} ({short})", summary.map.file));
}

/// The estimated cost of a call of a probed method. Nothing is known of the number of calls before a run.
fn cost(summary: &Summary) -> String {
    let timing = if summary.is_timed {
        "the app times its probes at each start, and reports subtract them"
    } else {
        "the app does not time its probes: they stay in its energy"
    };
    if summary.sink == TRACE {
        // Perfetto, `docs/data-sources/atrace.md`: 1 to 10 µs an event; a call is two.
        return format!(
            "cost       2 to 20 µs for each call while a trace is recorded (by Perfetto's documentation of sections): 1,000 calls a \
             second take 0.2 to 2 % of a core; {timing}"
        );
    }
    format!("cost       unknown before the first run with this sink; {timing}")
}

const fn have(number: u64) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

/// A number with its noun.
#[cfg(test)]
mod tests {
    use super::{counted, have};

    #[test]
    fn a_verb_has_the_number_of_its_noun() {
        for (number, expected) in [(0, "0 classes have"), (1, "1 class has"), (2, "2 classes have")]
        {
            let found = format!("{} {}", counted(number, "class", "classes"), have(number));
            assert_eq!(found, expected);
        }
    }
}
