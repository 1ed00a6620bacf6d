//! A history for the terminal.

use std::fmt::Write as _;

use wattle_report::clean;

use super::energy_series::{EnergyHistory, EnergySeries, VersionEnergy};
use super::run_list::{COMMIT, counted, interval, joules, shortened, signed_percent};
use super::{aligned_columns, judged_text};

/// Versions that are listed: the latest.
const MOST_ROWS: usize = 40;
/// Levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The text of a history, and notes about its quantity.
pub fn text(history: &EnergyHistory, notes: &[String]) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}", title(history));
    for note in notes {
        let _ = writeln!(text, "  {}", clean(note));
    }
    if history.series.is_empty() {
        let _ = writeln!(
            text,
            "\nno kept run has this energy ({} left out)",
            counted(history.left_out)
        );
        return text;
    }
    for series in &history.series {
        text.push('\n');
        text.push_str(&series_text(series));
    }
    text.push('\n');
    if history.series.len() > 1 {
        let _ = writeln!(
            text,
            "Runs of other devices, device models or scenarios are series of their own: their energies are not comparable."
        );
    }
    if history.left_out > 0 {
        let _ = writeln!(
            text,
            "{} left out: failed, or without this energy.",
            counted(history.left_out)
        );
    }
    for (nth, line) in next(history).iter().enumerate() {
        let head = if nth == 0 { "Next" } else { "" };
        let _ = writeln!(text, "{head:4}  {line}");
    }
    text
}

fn title(history: &EnergyHistory) -> String {
    let app = match history.app.as_str() {
        "" => "the whole device".to_owned(),
        app => clean(app),
    };
    match (history.quantity, &history.name) {
        ("component" | "method", Some(name)) => format!("{app}: energy of {} per run", clean(name)),
        ("total", _) if !history.app.is_empty() => {
            format!("{app}: energy of the whole device per run")
        }
        _ => format!("{app}: energy per run"),
    }
}

fn series_text(series: &EnergySeries) -> String {
    let device = series
        .device
        .as_deref()
        .or(series.device_key.as_deref())
        .unwrap_or("unknown device, perhaps several");
    let mut head = clean(device);
    if let Some(model) = &series.model {
        let version =
            series.model_version.map(|version| format!(" v{version}")).unwrap_or_default();
        let _ = write!(head, " · model {}{version}", clean(model));
    }
    if let Some(scenario) = &series.scenario {
        let _ = write!(head, " · {}", clean(&shortened(scenario)));
    }
    let titles = [
        "first run (UTC)",
        "version",
        "commit",
        "branch",
        "build",
        "runs",
        "mean",
        "90 % interval",
        "scatter",
        "change",
    ];
    let hidden = series.versions.len().saturating_sub(MOST_ROWS);
    let shown = series.versions.get(hidden..).unwrap_or_default();
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(shown.iter().map(row));
    let table = aligned_columns::lines(&rows, &[5, 6, 8, 9]);
    let earlier = match hidden {
        0 => String::new(),
        1 => "1 earlier version is not listed (--json, --html)\n".to_owned(),
        count => format!("{count} earlier versions are not listed (--json, --html)\n"),
    };
    let judged = judged_text::text(&series.judged);
    format!("{head}\n{judged}{table}{}{earlier}", sparkline(shown))
}

fn row(version: &VersionEnergy) -> Vec<String> {
    let name = match (&version.version_name, version.version_code) {
        (Some(name), Some(code)) => format!("{name} ({code})"),
        (Some(name), None) => name.clone(),
        (None, Some(code)) => format!("({code})"),
        (None, None) => String::new(),
    };
    let mut commit: String =
        version.commit.as_deref().unwrap_or_default().chars().take(COMMIT).collect();
    if version.dirty == Some(true) {
        commit.push('+');
    }
    let mean = version.mean;
    let [low, high] = mean.interval_joules;
    let first = version.first.get(..16).unwrap_or(&version.first).replace('T', " ");
    let runs = match version.runs.as_slice() {
        [only] => only.run.clone(),
        several => several.len().to_string(),
    };
    let short = |name: &Option<String>| shortened(name.as_deref().unwrap_or_default());
    vec![
        first,
        shortened(&name),
        commit,
        short(&version.branch),
        short(&version.build),
        runs,
        joules(mean.joules),
        interval(low, high),
        version.deviation_joules.map(|it| format!("±{}", joules(it))).unwrap_or_default(),
        version.change.map(signed_percent).unwrap_or_default(),
    ]
}

/// The means as a line of blocks, from the least to the largest.
fn sparkline(versions: &[VersionEnergy]) -> String {
    let means: Vec<f64> = versions.iter().map(|version| version.mean.joules).collect();
    let (least, most) =
        means.iter().fold((f64::MAX, f64::MIN), |(a, b), mean| (a.min(*mean), b.max(*mean)));
    if means.len() < 2 || most <= least {
        return String::new();
    }
    let level = |mean: &f64| {
        let share = (mean - least) / (most - least);
        let at = (share * (LEVELS.len() - 1) as f64).round() as usize;
        LEVELS.get(at).copied().unwrap_or('█')
    };
    let line: String = means.iter().map(level).collect();
    format!("{line}  ▁ {}  █ {}\n", joules(least), joules(most))
}

/// The flag by which other commands look at the same app; empty for the device.
fn app_flag(history: &EnergyHistory) -> String {
    let is_plain =
        |app: &str| app.chars().all(|it| it.is_ascii_alphanumeric() || "._".contains(it));
    match history.app.as_str() {
        app if history.quantity != "total" && !app.is_empty() && is_plain(app) => {
            format!(" --app {app}")
        }
        _ => String::new(),
    }
}

/// Commands that go on from here: into the newest change, else into the newest two versions.
fn next(history: &EnergyHistory) -> Vec<String> {
    let Some(series) = history.series.first() else { return vec!["wattle runs".to_owned()] };
    let changes = series.judged.iter().filter_map(|branch| branch.changes.last());
    if let Some(change) = changes.max_by_key(|change| change.first_bad.version) {
        return judged_text::advice(change, &app_flag(history));
    }
    let last = |version: &VersionEnergy| version.runs.last().map(|run| run.run.clone());
    let line = match series.versions.as_slice() {
        [.., before, after] => match (last(before), last(after)) {
            (Some(before), Some(after)) => {
                format!(
                    "wattle diff {before} {after}{}  (which methods changed)",
                    app_flag(history)
                )
            }
            _ => "wattle runs".to_owned(),
        },
        [only] => match last(only) {
            Some(run) => {
                format!("wattle report {run}; keep a run of the next version to compare with it")
            }
            None => "wattle runs".to_owned(),
        },
        [] => "wattle runs".to_owned(),
    };
    vec![line]
}

#[cfg(test)]
mod tests {
    use super::super::run_list::EnergyCells;
    use super::*;

    fn version(joules: f64) -> VersionEnergy {
        let mean =
            EnergyCells { joules, interval_joules: [joules, joules], provenance: "modelled" };
        VersionEnergy {
            version_name: None,
            version_code: None,
            commit: None,
            branch: None,
            dirty: None,
            build: None,
            first: String::new(),
            mean,
            deviation_joules: None,
            change: None,
            runs: Vec::new(),
        }
    }

    #[test]
    fn sparklines_go_from_the_least_to_the_largest() {
        let versions = [1.0, 2.0, 1.5, 2.0].map(version);
        assert_eq!(sparkline(&versions), "▁█▅█  ▁ 1.00 J  █ 2.00 J\n");
        assert_eq!(sparkline(&[1.0, 1.0].map(version)), "");
        assert_eq!(sparkline(&[1.0].map(version)), "");
    }
}
