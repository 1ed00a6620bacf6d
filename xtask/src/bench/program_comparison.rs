//! Two programs on the same commands, in turns.

use anyhow::Result;

use super::bench_inputs::Inputs;
use super::measured_run::{Outcome, measure};
use super::run_statistics::{Runs, megabytes, ratio, seconds};
use super::workloads::AGAINST;
use super::{Options, programs};

/// Part by which a workload must be slower to be marked.
const SLOWER: f64 = 0.05;

/// One program on one workload.
#[derive(Clone, PartialEq, Debug)]
enum Side {
    Measured(Runs),
    Unknown,
    Failed(String),
}

/// Runs all workloads and prints the table.
pub fn run(options: &Options, commit: &str) -> Result<()> {
    let old = programs::of_commit(commit)?;
    let new = match &options.program {
        Some(program) => program.into(),
        None => programs::of_working_tree()?,
    };
    let mut inputs = Inputs::new()?;
    println!(
        "CPU time: least of {} runs; median behind it. Memory: median peak.\n",
        options.rounds()
    );
    println!("{}", heading(commit));
    let mut slower = Vec::new();
    for workload in AGAINST.iter().filter(|workload| options.includes(workload.name)) {
        let Some(input) = inputs.file(workload.input)? else {
            println!("{:<32} its recording is not here", workload.name);
            continue;
        };
        let arguments = workload.arguments(&input, inputs.folder());
        let mut sides = [Side::Measured(Runs::default()), Side::Measured(Runs::default())];
        // The first round warms the file cache, and makes what is made once, such as a key to sign with.
        for round in 0..=options.rounds() {
            for (program, side) in [&old, &new].into_iter().zip(&mut sides) {
                let Side::Measured(runs) = side else { continue };
                match measure(program, &arguments)? {
                    Outcome::Done(usage) if round > 0 => runs.push(usage),
                    Outcome::Done(_) => {}
                    Outcome::Unknown(_) => *side = Side::Unknown,
                    Outcome::Failed(reason) => *side = Side::Failed(reason),
                }
            }
        }
        println!("{}", line(workload.name, &sides));
        if is_slower(&sides) {
            slower.push(workload.name);
        }
    }
    match slower[..] {
        [] => println!("\nNothing is more than {:.0} % slower.", SLOWER * 100.0),
        _ => println!("\nMore than {:.0} % slower: {}", SLOWER * 100.0, slower.join("; ")),
    }
    Ok(())
}

fn heading(commit: &str) -> String {
    format!(
        "{:<32} {:>18} {:>18} {:>6} {:>7} {:>8} {:>8} {:>6}",
        "workload", commit, "now", "ratio", "median", "memory", "now", "ratio"
    )
}

/// One row of the table.
fn line(name: &str, sides: &[Side; 2]) -> String {
    let cpu = |side: &Side| match side {
        Side::Measured(runs) => {
            format!("{} / {}", seconds(runs.least_cpu()), seconds(runs.median_cpu()))
        }
        Side::Unknown => "does not know it".to_owned(),
        Side::Failed(_) => "failed".to_owned(),
    };
    let peak = |side: &Side| match side {
        Side::Measured(runs) => megabytes(runs.median_peak()),
        _ => "–".to_owned(),
    };
    let ratio_of = |value: fn(&Runs) -> f64| ratio(quotient(sides, value));
    let [old, new] = sides;
    let mut line = format!(
        "{name:<32} {:>18} {:>18} {:>6} {:>7} {:>8} {:>8} {:>6}",
        cpu(old),
        cpu(new),
        ratio_of(Runs::least_cpu),
        ratio_of(Runs::median_cpu),
        peak(old),
        peak(new),
        ratio_of(Runs::median_peak),
    );
    if is_slower(sides) {
        line += "  SLOWER";
    }
    for (which, side) in ["before", "now"].iter().zip(sides) {
        if let Side::Failed(reason) = side {
            line.extend(["\n    ", which, ": ", reason]);
        }
    }
    line
}

/// New by old; NaN if one of them has no figure.
fn quotient([old, new]: &[Side; 2], value: fn(&Runs) -> f64) -> f64 {
    match (old, new) {
        (Side::Measured(old), Side::Measured(new)) => value(new) / value(old),
        _ => f64::NAN,
    }
}

/// Whether both the least and the median say so: one of them alone is chance more often than not.
fn is_slower(sides: &[Side; 2]) -> bool {
    let exceeds = |value: fn(&Runs) -> f64| quotient(sides, value) > 1.0 + SLOWER;
    exceeds(Runs::least_cpu) && exceeds(Runs::median_cpu)
}

#[cfg(test)]
mod tests {
    use super::{Side, is_slower, line};
    use crate::bench::measured_run::Usage;
    use crate::bench::run_statistics::Runs;

    fn side(cpu: &[f64]) -> Side {
        let mut runs = Runs::default();
        for cpu in cpu {
            runs.push(Usage { cpu_seconds: *cpu, peak_bytes: 4e6 });
        }
        Side::Measured(runs)
    }

    #[test]
    fn a_row_has_times_ratios_and_a_mark() {
        let check = |old, new, expected: &str| {
            let words = line("x", &[old, new]);
            assert_eq!(words.split_whitespace().collect::<Vec<_>>().join(" "), expected);
        };
        check(
            side(&[1.0, 1.0, 2.0]),
            side(&[1.5, 2.0, 3.0]),
            "x 1.00 s / 1.00 s 1.50 s / 2.00 s 1.50 2.00 4 MB 4 MB 1.00 SLOWER",
        );
        check(
            side(&[0.02]),
            side(&[0.01]),
            "x 20 ms / 20 ms 10 ms / 10 ms 0.50 0.50 4 MB 4 MB 1.00",
        );
        check(Side::Unknown, side(&[0.01]), "x does not know it 10 ms / 10 ms – – – 4 MB –");
        let failed = Side::Failed("exit code 3: no".to_owned());
        check(failed, Side::Unknown, "x failed does not know it – – – – – before: exit code 3: no");
    }

    #[test]
    fn slower_needs_least_and_median() {
        assert!(!is_slower(&[side(&[1.0, 1.0, 1.0]), side(&[1.0, 1.2, 1.3])]));
        assert!(!is_slower(&[side(&[1.0]), side(&[1.04])]));
        assert!(is_slower(&[side(&[1.0]), side(&[1.06])]));
        assert!(!is_slower(&[Side::Unknown, side(&[1.0])]));
    }
}
