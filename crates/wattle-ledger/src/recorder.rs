//! The recorder's own processes.

use wattle_timeline::Timeline;

/// By thread: whether it belongs to one of the programs. A thread of which the process is not known goes
/// by its own name.
pub(crate) fn threads(timeline: &Timeline, programs: &[String]) -> Vec<bool> {
    let records = |name| {
        let program = program(timeline.names.get(name));
        programs.iter().any(|recorder| recorder == program)
    };
    let processes: Vec<bool> =
        timeline.processes.iter().map(|process| process.name.is_some_and(records)).collect();
    timeline
        .threads
        .iter()
        .map(|thread| match thread.process {
            Some(process) => processes.get(process.index()).copied().unwrap_or(false),
            None => thread.name.is_some_and(records),
        })
        .collect()
}

/// `/system/bin/traced_probes --background` is `traced_probes`.
fn program(command: &str) -> &str {
    let path = command.split_ascii_whitespace().next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &str) {
        assert_eq!(program(command), expected);
    }

    #[test]
    fn the_last_part_of_the_path_names_the_program() {
        check("/system/bin/traced_probes", "traced_probes");
        check("logcat -v threadtime /sdcard/x", "logcat");
        check("traced", "traced");
        check("com.example.app:remote", "com.example.app:remote");
        check("", "");
    }
}
