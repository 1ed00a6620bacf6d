//! The search, step by step.

use std::io::Write as _;

use anyhow::anyhow;
use wattle_change_points::{Bisection, BisectionOptions, BisectionOutcome, BisectionStep};
use wattle_units::Si;

use super::commit_range::{Checkout, CommitRange};
use super::trial::{Trial, Tried};
use crate::cli::Bisect;
use crate::command::output;
use crate::exit::{Failure, Outcome};
use crate::interrupt;

/// Runs `wattle bisect`.
pub fn bisect(flags: &Bisect) -> Outcome {
    if !(0.5..1.0).contains(&flags.confidence) {
        let text =
            format!("--confidence {}: expected 0.5 or more, and less than 1", flags.confidence);
        return Err(Failure::Usage(anyhow!(text)));
    }
    let range = CommitRange::between(&flags.good, &flags.bad)?;
    let options = BisectionOptions {
        confidence: flags.confidence,
        most_runs: flags.most_runs,
        ..BisectionOptions::default()
    };
    let mut bisection = Bisection::new(range.commits.len(), options);
    let interrupts = interrupt::handle_search()?;
    let checkout = Checkout::new(&range.commits[0])?;
    let mut trial = Trial::new(&flags.build, flags.app.as_deref())?;
    let say = |text: &str| {
        if !flags.quiet {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{}", wattle_report::clean(text));
        }
    };
    say(&format!("{} commits to search", range.commits.len()));
    let mut skipped = 0;
    let last = range.commits.len() - 1;
    loop {
        match bisection.next_step() {
            BisectionStep::Done(outcome) => return conclude(&range, &outcome, skipped),
            BisectionStep::Run { commit, repeats } => {
                let name = range.shown(commit);
                say(&format!("run {repeats} × {name}"));
                let Some(hash) = range.commits.get(commit) else { continue };
                let tried = match checkout.go_to(hash)? {
                    None => trial.of(&checkout, hash, repeats),
                    Some(why) => Ok(Tried::Failed(why)),
                };
                // The command has got the same signal: that it failed says nothing of the commit.
                if interrupts.cancel.is_cancelled() {
                    return Err(Failure::Interrupted(anyhow!("the search was interrupted")));
                }
                match tried? {
                    Tried::Energies(energies) => {
                        let shown: Vec<String> = energies.iter().map(|it| si(*it)).collect();
                        say(&format!("  {}", shown.join(", ")));
                        for energy in energies {
                            bisection.add_run(commit, energy);
                        }
                    }
                    // Without the ends there is nothing to search between.
                    Tried::Failed(why) if commit == 0 || commit == last => {
                        return Err(Failure::Environment(anyhow!("{name}: {why}")));
                    }
                    Tried::Failed(why) => {
                        say(&format!("  left out: {why}"));
                        bisection.skip(commit);
                        skipped += 1;
                    }
                }
            }
        }
    }
}

/// Prints the result: its first line is the answer.
fn conclude(range: &CommitRange, outcome: &BisectionOutcome, skipped: usize) -> Outcome {
    let left_out = match skipped {
        0 => String::new(),
        1 => ", 1 commit could not be run".to_owned(),
        count => format!(", {count} commits could not be run"),
    };
    match *outcome {
        BisectionOutcome::Found { last_good, first_bad, confidence, size, runs } => {
            let word = if size < 0.0 { "less" } else { "more" };
            let mut text = format!(
                "first commit with the change: {}\n  {} {word} than {}, {:.1} % sure, {runs} runs{left_out}\n",
                range.shown(first_bad),
                si(size.abs()),
                range.shown(last_good),
                confidence * 100.0
            );
            if first_bad > last_good + 1 {
                text.push_str("  or one of the commits between both, which could not be run\n");
            }
            output::print(cleaned(&text).as_bytes())
        }
        BisectionOutcome::NoDifference { runs } => Err(Failure::Refused(anyhow!(
            "no difference between both ends is seen in {runs} runs{left_out}"
        ))),
        BisectionOutcome::Undecided { last_good, first_bad, confidence, runs } => {
            Err(Failure::Refused(anyhow!(
                "undecided after {runs} runs{left_out}: most likely after {} and up to {} ({:.0} % sure); --most-runs allows more",
                range.shown(last_good),
                range.shown(first_bad),
                confidence * 100.0
            )))
        }
    }
}

/// Lines fit to be looked at: messages of commits are others' text.
fn cleaned(text: &str) -> String {
    text.lines().map(|line| wattle_report::clean(line) + "\n").collect()
}

fn si(joules: f64) -> String {
    Si { value: joules, unit: "J" }.to_string()
}
