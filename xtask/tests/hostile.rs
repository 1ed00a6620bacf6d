//! Hostile files of every format through the real program, under limits of the operating system.

use std::process::Command;

/// Files and runs that the quick form of `cargo xtask hostile` has at least.
const FILES: usize = 900;
const RUNS: usize = 1_000;

#[test]
#[ignore = "takes many minutes, and knows commands that need more than 10 s for bombs: cargo xtask hostile"]
fn no_hostile_file_breaks_a_command() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(["hostile", "--slowest"]).output().expect("xtask runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{messages}");
    // `974 files, 1300 runs, 0 defects, peak 300 MB`
    let last = text.lines().last().expect("a summary");
    let counts: Vec<usize> = last.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    let [files, runs, defects, _peak] = counts.as_slice() else { panic!("{last}") };
    assert!(*files >= FILES && *runs >= RUNS && *defects == 0, "{last}");
}
