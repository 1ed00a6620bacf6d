//! The same command on an input and on one of twice its size: time must not grow faster than the input.

use anyhow::Result;

use super::bench_inputs::{Input, Inputs};
use super::measured_run::{Outcome, measure};
use super::run_statistics::{Runs, megabytes, ratio, seconds};
use super::workloads::{SCALING, Workload};
use super::{Options, programs};
use crate::Verdict;

/// CPU time of twice the input beside that of the input, at most.
const LIMIT: f64 = 2.2;

/// Runs all workloads, prints the table, and says whether all are linear.
pub fn run(options: &Options) -> Result<Verdict> {
    let program = match &options.program {
        Some(program) => program.into(),
        None => programs::of_working_tree()?,
    };
    let mut inputs = Inputs::new()?;
    println!("CPU time: least of {} runs. Limit: {LIMIT} times.\n", options.rounds());
    println!(
        "{:<32} {:>10} {:>10} {:>6} {:>8} {:>8} {:>6}",
        "workload", "once", "twice", "ratio", "memory", "twice", "ratio"
    );
    let mut verdict = Verdict::Passed;
    for workload in SCALING.iter().filter(|workload| options.includes(workload.name)) {
        let mut sizes = [Runs::default(), Runs::default()];
        let mut failure = None;
        // In turns, as for two programs, with one run more that warms the file cache.
        for round in 0..=options.rounds() {
            for (times, runs) in [1, 2].into_iter().zip(&mut sizes) {
                let Some(input) = inputs.file(scaled(*workload, times))? else { continue };
                let arguments = workload.arguments(&input, inputs.folder());
                match measure(&program, &arguments)? {
                    Outcome::Done(usage) if round > 0 => runs.push(usage),
                    Outcome::Done(_) => {}
                    Outcome::Unknown(reason) | Outcome::Failed(reason) => failure = Some(reason),
                }
            }
            if failure.is_some() {
                break;
            }
        }
        let line = match &failure {
            Some(reason) => format!("{:<32} FAILED: {reason}", workload.name),
            None => line(workload.name, &sizes),
        };
        println!("{line}");
        if failure.is_some() || !is_linear(&sizes) {
            verdict = Verdict::Failed;
        }
    }
    Ok(verdict)
}

/// The input so many times as large.
fn scaled(workload: Workload, times: u64) -> Input {
    match workload.input {
        Input::Generated(name, end, scale) => Input::Generated(name, end, scale * times),
        other => other,
    }
}

fn is_linear([once, twice]: &[Runs; 2]) -> bool {
    twice.least_cpu() <= LIMIT * once.least_cpu()
}

/// One row of the table.
fn line(name: &str, sizes: &[Runs; 2]) -> String {
    let [once, twice] = sizes;
    let mark = if is_linear(sizes) { "" } else { "  NOT LINEAR" };
    format!(
        "{name:<32} {:>10} {:>10} {:>6} {:>8} {:>8} {:>6}{mark}",
        seconds(once.least_cpu()),
        seconds(twice.least_cpu()),
        ratio(twice.least_cpu() / once.least_cpu()),
        megabytes(once.median_peak()),
        megabytes(twice.median_peak()),
        ratio(twice.median_peak() / once.median_peak()),
    )
}

#[cfg(test)]
mod tests {
    use super::{line, scaled};
    use crate::bench::bench_inputs::Input;
    use crate::bench::measured_run::Usage;
    use crate::bench::run_statistics::Runs;
    use crate::bench::workloads::SCALING;

    fn runs(cpu_seconds: f64, peak_bytes: f64) -> Runs {
        let mut runs = Runs::default();
        runs.push(Usage { cpu_seconds, peak_bytes });
        runs
    }

    #[test]
    fn more_than_twice_the_time_is_marked() {
        let check = |twice, expected: &str| {
            let words = line("x", &[runs(1.0, 1e6), runs(twice, 2e6)]);
            assert_eq!(words.split_whitespace().collect::<Vec<_>>().join(" "), expected);
        };
        check(2.1, "x 1.00 s 2.10 s 2.10 1 MB 2 MB 2.00");
        check(2.3, "x 1.00 s 2.30 s 2.30 1 MB 2 MB 2.00 NOT LINEAR");
    }

    #[test]
    fn sizes_are_doubled() {
        let Input::Generated(name, end, scale) = SCALING[0].input else { panic!("generated") };
        assert_eq!(scaled(SCALING[0], 2), Input::Generated(name, end, scale * 2));
    }
}
