//! libFuzzer around the targets: building, running, replaying and minimising.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};

use super::seed_files;
use super::target_list::Target;
use crate::{Verdict, places, repository};

/// Counters for each edge and comparisons that the engine sees, as `cargo fuzz` asks for them. None of it needs a nightly compiler.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Clink-dead-code --cfg fuzzing";

/// Limits of one input: five seconds (of the clock on the wall, and other programs run, too), 600 MB, and a length at which mutations
/// still find something.
const LIMITS: [&str; 3] = ["-timeout=5", "-rss_limit_mb=600", "-max_len=65536"];

/// The program with all targets, and the folder of their corpora and findings.
#[derive(Debug)]
pub struct Engine {
    program: PathBuf,
    folder: PathBuf,
}

/// The end of one target's run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    pub target: &'static str,
    pub executions: u64,
    pub a_second: u64,
    /// Edges of the code that some input of the corpus goes through.
    pub edges: u64,
    /// Inputs of the corpus once minimised.
    pub inputs: usize,
    /// Files of inputs that are defects.
    pub findings: Vec<PathBuf>,
}

impl Engine {
    /// Builds the targets.
    pub fn build(folder: PathBuf) -> Result<Self> {
        let host = host()?;
        let target = places::target().join("fuzz");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml"]);
        // With a target named, build scripts and macros are not instrumented.
        cargo.args(["--target", &host]).arg("--target-dir").arg(&target);
        cargo.current_dir(repository::root()).env("RUSTFLAGS", INSTRUMENTED);
        if !cargo.status().context("cargo")?.success() {
            bail!("the fuzz targets do not build");
        }
        Ok(Self { program: target.join(host).join("release/wattle-fuzz"), folder })
    }

    /// The program on a target, whatever it then does. Without a prefix it writes findings to the working folder.
    fn command(&self, target: Target) -> Command {
        let mut command = Command::new(&self.program);
        command.env("WATTLE_FUZZ_TARGET", target.name).args(LIMITS);
        command.arg(format!("-artifact_prefix={}/", self.findings(target).display()));
        command
    }

    fn findings(&self, target: Target) -> PathBuf {
        self.folder.join("findings").join(target.name)
    }

    /// Runs a target on one file.
    pub fn replay(&self, target: Target, file: &Path) -> Result<Verdict> {
        let mut command = self.command(target);
        command.env("RUST_BACKTRACE", "1").arg(file);
        let status = command.status().with_context(|| self.program.display().to_string())?;
        Ok(if status.success() { Verdict::Passed } else { Verdict::Failed })
    }

    /// Runs a target for a time, and minimises its corpus.
    pub fn fuzz(&self, target: Target, seconds: u64) -> Result<Outcome> {
        let corpus = self.folder.join("corpus").join(target.name);
        let findings = self.findings(target);
        std::fs::create_dir_all(&corpus)?;
        std::fs::create_dir_all(&findings)?;
        if files(&corpus)?.is_empty() {
            seed_files::write(target, &corpus)?;
        }
        let known = files(&findings)?;
        let mut command = self.command(target);
        command.arg(format!("-max_total_time={seconds}"));
        command.arg("-print_final_stats=1").arg(&corpus);
        let output = command.output().with_context(|| self.program.display().to_string())?;
        let log = String::from_utf8_lossy(&output.stderr);
        let mut outcome = Outcome::parse(&log);
        outcome.target = target.name;
        outcome.findings = files(&findings)?;
        outcome.findings.retain(|file| !known.contains(file));
        if !output.status.success() && outcome.findings.is_empty() {
            bail!("{}: {}", target.name, last_lines(&output));
        }
        std::fs::write(self.folder.join(format!("{}.log", target.name)), log.as_bytes())?;
        self.minimise(target, &corpus)?;
        outcome.inputs = files(&corpus)?.len();
        Ok(outcome)
    }

    /// Keeps the inputs that together go through all that the corpus goes through.
    fn minimise(&self, target: Target, corpus: &Path) -> Result<()> {
        let parent = corpus.parent().context("a folder of corpora")?;
        let kept = tempfile::tempdir_in(parent)?;
        let mut command = self.command(target);
        let output = command.arg("-merge=1").arg(kept.path()).arg(corpus).output()?;
        if !output.status.success() {
            bail!("{}: the corpus is not minimised: {}", target.name, last_lines(&output));
        }
        // Some input always remains, or all of them were defects.
        if !files(kept.path())?.is_empty() {
            std::fs::remove_dir_all(corpus)?;
            std::fs::rename(kept.keep(), corpus)?;
        }
        Ok(())
    }
}

impl Outcome {
    /// Reads the figures of libFuzzer's log.
    fn parse(log: &str) -> Self {
        let stat = |name: &str| {
            let line = log.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim_start_matches(':').trim().parse().ok()
        };
        let edges = log.lines().rev().find_map(|line| {
            let (_, rest) = line.split_once(" cov: ")?;
            rest.split_whitespace().next()?.parse().ok()
        });
        Self {
            executions: stat("stat::number_of_executed_units").unwrap_or(0),
            a_second: stat("stat::average_exec_per_sec").unwrap_or(0),
            edges: edges.unwrap_or(0),
            ..Self::default()
        }
    }
}

/// The platform that the compiler is on.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}

/// The files of a folder, in order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

fn last_lines(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().rev().take(6).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn figures_are_read() {
        let log = "INFO: seed corpus: files: 3\n\
            #3\tINITED cov: 1200 ft: 1500 corp: 3/30b exec/s: 0 rss: 40Mb\n\
            #9\tDONE   cov: 1234 ft: 1600 corp: 4/40b lim: 4096 exec/s: 3 rss: 41Mb\n\
            Done 9 runs in 3 second(s)\n\
            stat::number_of_executed_units: 9\nstat::average_exec_per_sec:     3\n";
        let expected = Outcome { executions: 9, a_second: 3, edges: 1234, ..Outcome::default() };
        assert_eq!(Outcome::parse(log), expected);
        assert_eq!(Outcome::parse(""), Outcome::default());
    }
}
