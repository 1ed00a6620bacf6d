//! `cargo xtask gate-bench`: false alarms, found changes and delays of gates, on simulated series with known truth.
//!
//! Wattle, Apache Otava and the rules of other gates judge the same series in the same run. `docs/gate-benchmark.md` explains the
//! series, the rules and the columns.

mod goals;
mod score_json;

use anyhow::{Context as _, Result, bail};
use wattle_gate_bench::{
    GateRun, GateScores, GateTool, OtavaError, OtavaProcess, PointRule, SuiteCounts, SuitePlan,
    ToolName, table,
};

use crate::{Verdict, flags};

const HELP: &str = "\
Usage: cargo xtask gate-bench [OPTION…]

Judges simulated series of runs by Wattle, Apache Otava and the rules of other gates, and prints a table for each kind of noise.
Fails if Wattle misses a goal.

  --series N     series without a change, evenly over five kinds of noise; half as many have one [default: 10000]
  --seed S       seed of all series; 1 to 9 and 2026 were used for tuning [default: 77000]
  --json FILE    also write all figures to FILE
  --python FILE  Python with the package apache-otava [default: python3]
  --otava-series N
                 let Otava judge only the first of the same series, which then is said [default: all]
  --no-otava     leave Otava out: it takes most of the time
  --threads N    threads at work; results do not depend on it [default: 2]";

/// Series without a change, unless a number is given.
const SERIES: usize = 10_000;
/// The seed of the published figures. Those of tuning are 1 to 9 and 2026.
const SEED: u64 = 77_000;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Options {
    series: usize,
    seed: u64,
    json: Option<String>,
    python: String,
    otava_series: Option<usize>,
    leaves_out_otava: bool,
    threads: usize,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            series: SERIES,
            seed: SEED,
            json: None,
            python: "python3".to_owned(),
            otava_series: None,
            leaves_out_otava: false,
            threads: 2,
            wants_help: false,
        };
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--series" => options.series = value.count()?,
                "--threads" => options.threads = value.count()?,
                "--seed" => options.seed = value.number()?,
                "--json" => options.json = Some(value.text()?),
                "--python" => options.python = value.text()?,
                "--otava-series" => options.otava_series = Some(value.count()?),
                "--no-otava" => options.leaves_out_otava = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }
}

/// Runs `cargo xtask gate-bench`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let suites = SuiteCounts::for_series(options.series);
    let run = GateRun { suites, seed: options.seed, threads: options.threads };
    let (without, with) = suites.series();
    let plan = SuitePlan::new(0);
    println!(
        "{without} series without a change, {with} with one; suites of {} metrics, {} commits each, of which {} are judged; \
         seed {}\n",
        plan.metrics,
        plan.commits,
        plan.judged(),
        options.seed
    );
    let (mut scores, otava) = std::thread::scope(|scope| {
        // Otava has a process of its own and takes longest.
        let otava =
            (!options.leaves_out_otava).then(|| scope.spawn(|| score_otava(&run, &options)));
        let scores = run.score(&GateTool::all());
        (scores, otava.map(std::thread::ScopedJoinHandle::join))
    });
    let otava = match otava {
        None => "left out (--no-otava)".to_owned(),
        Some(Ok(Ok((version, otava)))) => {
            scores.extend(otava);
            version
        }
        Some(Ok(Err(error))) => error.to_string(),
        Some(Err(_)) => bail!("the thread of Apache Otava failed"),
    };
    print!("## At the limits that each tool documents\n\n{}", table(&scores));
    println!("Apache Otava: {otava}\n");
    let equal = score_at_equal_alarms(&run, &scores);
    print!(
        "## Rules with limits that raise one false alarm in 100 commits of these very suites\n\n{}",
        table(&equal)
    );

    let goals = goals::check(&scores, &equal);
    println!("## Goals\n");
    for goal in &goals {
        println!("{} {}", if goal.is_met { "met   " } else { "MISSED" }, goal.text);
    }
    if let Some(path) = &options.json {
        let json = score_json::document(&options, &otava, &scores, &equal);
        std::fs::write(path, format!("{json:#}\n")).with_context(|| path.clone())?;
    }
    let all_met = goals.iter().all(|goal| goal.is_met);
    Ok(if all_met { Verdict::Passed } else { Verdict::Failed })
}

/// The version of Otava with the series that it judged, and its scores.
fn score_otava(run: &GateRun, options: &Options) -> Result<(String, GateScores), OtavaError> {
    let series = options.otava_series.unwrap_or(options.series).min(options.series);
    let part = GateRun { suites: SuiteCounts::for_series(series), ..*run };
    let mut process = OtavaProcess::start(&options.python)?;
    let (without, with) = part.suites.series();
    let text = format!(
        "{}, on {without} of the series without and {with} of those with a change",
        process.version()
    );
    let scores = part.score_serially(ToolName::Otava, |suite| process.judge(suite))?;
    Ok((text, scores))
}

/// Scores of the rules with limits such that they raise as many false alarms as Wattle may, beside Wattle's.
fn score_at_equal_alarms(run: &GateRun, scores: &GateScores) -> GateScores {
    let ours = scores.iter().filter(|((_, tool), _)| tool.is_ours());
    let mut equal: GateScores = ours.map(|(key, score)| (*key, score.clone())).collect();
    for rule in PointRule::ALL {
        let factors = run.equal_factors(rule);
        equal.extend(run.score_with_factors(rule, &factors));
    }
    equal
}

#[cfg(test)]
mod tests {
    use super::{Options, SEED};

    fn parse(words: &str) -> Result<Options, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
            .map_err(|error| error.to_string().lines().next().unwrap_or("").into())
    }

    #[test]
    fn arguments_are_parsed() {
        let options = parse("--series 500 --no-otava --json out.json").expect("valid");
        assert_eq!((options.series, options.seed, options.leaves_out_otava), (500, SEED, true));
        let check = |words, error: &str| assert_eq!(parse(words), Err(error.to_owned()));
        check("--series 0", "--series needs a number from 1");
        check("--seed x", "--seed needs a number");
        check("--json", "--json needs a value");
        check("--quick", "unknown argument --quick");
    }
}
