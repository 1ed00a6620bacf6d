//! Memory use of a reader: measured in a process of its own, by the kernel.

use std::process::Command;

/// The variable that tells the child which case to run.
const CASE: &str = "WATTLE_HOSTILE_CASE";

/// The case that this process is to run, if it is a child.
pub fn case() -> Option<String> {
    std::env::var(CASE).ok()
}

/// The peak of this process's resident memory in bytes; `None` where the kernel does not say.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Runs a case in a child of this test program, by the name of the test that runs cases.
/// Gives what the child wrote after `answer:`.
pub fn run(test: &str, case: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{case}: {}\n{text}\n{error}", output.status);
    let answer = text.split_once("answer:").map(|(_, answer)| answer.lines().next().unwrap_or(""));
    answer.unwrap_or_else(|| panic!("{case}: no answer in {text}")).trim().to_owned()
}
