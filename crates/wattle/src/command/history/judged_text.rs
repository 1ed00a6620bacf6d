//! Judgements of versions for the terminal.

use std::fmt::Write as _;

use wattle_history::NEEDED_COMMITS;
use wattle_report::clean;

use super::judged_versions::{JudgedVersions, NamedVersion, SuspectedChange, VersionChange};
use super::run_list::{COMMIT, interval, joules, signed_percent};

/// Branches of a series whose judgements are shown besides the first: those with most versions.
const MOST_BRANCHES: usize = 4;

/// The lines about changes above the table of a series.
pub fn text(judged: &[JudgedVersions]) -> String {
    let mut text = String::new();
    let many = judged.len() > 1;
    let is_shown = |(nth, branch): &(usize, &JudgedVersions)| {
        *nth == 0 || *nth < MOST_BRANCHES && branch.missing_versions == 0
    };
    for (_, branch) in judged.iter().enumerate().filter(is_shown) {
        let on = match &branch.branch {
            Some(name) if many => format!(" on {}", clean(name)),
            None if many => " of no known branch".to_owned(),
            _ => String::new(),
        };
        text.push_str(&branch_text(branch, &on));
    }
    text
}

fn branch_text(branch: &JudgedVersions, on: &str) -> String {
    if branch.missing_versions > 0 {
        let there = match branch.versions {
            1 => "there is 1".to_owned(),
            count => format!("there are {count}"),
        };
        return format!("Changes can be judged from {NEEDED_COMMITS} versions{on} on; {there}.\n");
    }
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = match branch.changes.len() {
        0 => writeln!(text, "No lasting change in {} versions{on}", branch.versions),
        1 => writeln!(text, "1 lasting change in {} versions{on}", branch.versions),
        count => writeln!(text, "{count} lasting changes in {} versions{on}", branch.versions),
    };
    for change in &branch.changes {
        let how = match change.confirmation {
            "re-runs" => "confirmed by re-runs",
            _ => "confirmed by later versions",
        };
        let _ = writeln!(text, "  {}, {how}", change_text(change));
    }
    if let Some(level) = &branch.level {
        let _ = write!(text, "  level {} since {}", joules(level.joules), name(&level.since));
        if let Some([low, high]) = level.noise_band_joules {
            let _ = write!(text, ", next version expected within {} (95 %)", interval(low, high));
        }
        text.push('\n');
    }
    if let Some(suspected) = &branch.suspected {
        text.push_str(&suspicion(suspected));
    }
    if branch.outside && branch.suspected.is_none() {
        text.push_str(
            "  the newest version is outside of what was expected; more runs of it, or the next versions, will tell\n",
        );
    }
    if let Some(cause) = branch.flaky {
        let _ = writeln!(text, "  {}", flaky(cause));
    }
    text
}

/// `↑ +9.5 %  +182 mJ (163 mJ to 201 mJ)  in 92b1d3f (after 74e69a5)`.
fn change_text(change: &VersionChange) -> String {
    let [low, high] = change.interval_joules;
    let sign = if change.joules >= 0.0 { "↑" } else { "↓" };
    let share = change.change.map(|it| format!(" {}", signed_percent(it))).unwrap_or_default();
    let size = format!("{} ({} to {})", signed(change.joules), signed(low), signed(high));
    let (good, first, sure) = (&change.last_good, &change.first_bad, &change.surely_bad);
    let place = if sure.version == first.version {
        format!("in {} (after {})", name(first), name(good))
    } else {
        format!("most likely in {}, surely after {} and by {}", name(first), name(good), name(sure))
    };
    format!("{sign}{share}  {size}  {place}")
}

/// A difference with the sign of figures.
fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", joules(value.abs()))
}

fn suspicion(suspected: &SuspectedChange) -> String {
    let SuspectedChange { change, before, after, runs_each } = suspected;
    format!(
        "  ? {}, not confirmed\n    {runs_each} more runs each of {} and {}, in turns, would decide it; so may the next versions\n",
        change_text(change),
        name(before),
        name(after)
    )
}

/// The advice for a cause of scatter.
fn flaky(cause: &str) -> &'static str {
    match cause {
        "heat" => "flaky: energy follows the device's temperature; --cool-to before each run",
        "clock" => "flaky: energy follows the CPU's clock",
        "background" => "flaky: energy follows the rest of the device; wait longer before each run",
        "two modes" => "flaky: runs fall into two groups",
        "drift" => "flaky: the level drifts slowly",
        "outliers" => "flaky: single runs are far from the others",
        _ => {
            "flaky: the range in which a version is expected is too wide to judge by; more runs of each version narrow it"
        }
    }
}

/// A version in few characters: its commit, else its name, else its run.
pub fn name(version: &NamedVersion) -> String {
    let commit = version.commit.as_deref().map(|it| it.chars().take(COMMIT).collect::<String>());
    let text = commit.or_else(|| version.version_name.clone());
    clean(&text.unwrap_or_else(|| version.run.clone()))
}

/// Commands that look into a change; what became less needs no search for who is to blame.
pub fn advice(change: &VersionChange, app_flag: &str) -> Vec<String> {
    let (good, bad) = (&change.last_good, &change.surely_bad);
    let mut lines = vec![format!("wattle diff {} {}{app_flag}  (what changed)", good.run, bad.run)];
    if let (Some(good), Some(bad)) = (&good.commit, &bad.commit)
        && good != bad
        && change.joules > 0.0
    {
        let short = |commit: &String| clean(&commit.chars().take(COMMIT).collect::<String>());
        lines.push(format!(
            "wattle bisect --good {} --bad {} -- BUILD  (which commit between them)",
            short(good),
            short(bad)
        ));
    }
    lines
}
