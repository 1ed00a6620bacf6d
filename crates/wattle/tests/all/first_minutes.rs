//! The newcomer's script: the commands of `docs/first-five-minutes.md`, run one after the other by the real program.

use std::path::Path;
use std::process::Command;

/// The commands of the document's `console` blocks, in order.
fn commands(document: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut is_inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if is_inside && let Some(command) = line.strip_prefix("$ ") {
            commands.push(command);
        }
    }
    commands
}

#[test]
fn the_commands_of_the_first_five_minutes_run_as_they_stand() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = root.join("docs/first-five-minutes.md");
    let document = std::fs::read_to_string(document).expect("the document");
    let commands = commands(&document);
    for step in ["wattle demo", "wattle export", "wattle diff", "--html"] {
        assert!(commands.iter().any(|command| command.contains(step)), "no {step} in {commands:?}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for command in commands {
        let mut words = command.split_whitespace();
        assert_eq!(words.next(), Some("wattle"), "{command}");
        let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(words)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {said}");
        let is_silent = output.stdout.is_empty();
        let writes_only = command.contains("--quiet") || command.contains("export");
        assert!(writes_only || !is_silent, "{command} says nothing");
    }
    for file in ["wattle-demo.html", "page.html", "old.ledger.json.zst", "old.pb.gz", "old.folded"]
    {
        let length = folder.path().join(file).metadata().map_or(0, |facts| facts.len());
        assert!(length > 100, "{file} has {length} bytes");
    }
}
