//! The summary as people read it.

use std::fmt::Write as _;

use super::summary::Summary;

/// Methods that are named one by one; the JSON summary names all.
const NAMED: usize = 10;

/// The summary as text.
pub fn text(summary: &Summary) -> String {
    let mut out = String::new();
    write(summary, &mut out);
    out
}

fn write(summary: &Summary, out: &mut String) {
    let probed = summary.methods_probed;
    let share = if summary.methods_with_code == 0 {
        String::new()
    } else {
        format!(" ({:.1} %)", 100.0 * probed as f64 / summary.methods_with_code as f64)
    };
    let _ = writeln!(
        out,
        "{} of {} methods with code have probes{share}, in {} classes; they write to {}",
        count(probed),
        count(summary.methods_with_code),
        count(summary.classes),
        summary.sink,
    );
    if summary.mode != "methods" {
        let _ =
            writeln!(out, "{} calls into the framework have probes", count(summary.api_call_sites));
    }
    if !summary.own_packages.is_empty() {
        let _ = writeln!(out, "the app's own packages: {}", summary.own_packages.join(", "));
    }
    for (reason, number) in &summary.reasons {
        let _ = writeln!(out, "  {:>9}  {}", count(*number), reason.explanation());
    }
    for left_out in summary.left_out.iter().take(NAMED) {
        let _ = writeln!(out, "left out   {} ({})", left_out.method, left_out.reason);
    }
    if summary.left_out.len() > NAMED {
        let _ = writeln!(out, "left out   {} more, see --json", summary.left_out.len() - NAMED);
    }
    for dropped in &summary.dropped {
        let _ = writeln!(out, "dropped    {dropped}: it does not fit changed code");
    }
    for note in &summary.notes {
        let _ = writeln!(out, "note       {note}");
    }
    let growth = if summary.bytes_in == 0 {
        String::new()
    } else {
        let factor = summary.bytes_out as f64 / summary.bytes_in as f64;
        format!(" ({:+.1} %)", 100.0 * (factor - 1.0))
    };
    let _ = writeln!(
        out,
        "size       {} → {} bytes{growth}, {:.2} s",
        count(summary.bytes_in),
        count(summary.bytes_out),
        summary.seconds.get("total").copied().unwrap_or_default(),
    );
    if summary.dry_run {
        let _ = writeln!(out, "nothing was written (--dry-run)");
        return;
    }
    for path in &summary.output {
        let _ = writeln!(out, "wrote      {path}");
    }
    let short: String = summary.map.id.chars().take(8).collect();
    let _ = writeln!(out, "probe map  {} ({short})", summary.map.file);
}

/// A number with separators.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
