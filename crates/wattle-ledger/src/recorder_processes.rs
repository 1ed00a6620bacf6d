//! The recorder's own processes.

use wattle_timeline::Timeline;

/// By process: whether it only runs because somebody records: one of the programs (the last part of its name), or one that the
/// recording names, or a descendant of such a one.
pub fn recorder_processes(timeline: &Timeline, programs: &[String]) -> Vec<bool> {
    let mut processes: Vec<bool> = timeline
        .tasks
        .processes
        .iter()
        .map(|process| {
            let name = process.name.map(|name| program(timeline.names.get(name)));
            name.is_some_and(|name| programs.iter().any(|recorder| recorder == name))
                || timeline.tasks.recorders.contains(&process.pid)
        })
        .collect();
    if !timeline.tasks.recorders.is_empty() {
        descend(timeline, &mut processes);
    }
    processes
}

/// Marks the descendants of processes that the recording names.
fn descend(timeline: &Timeline, processes: &mut [bool]) {
    // Most parents stand before their children; a family is complete when a pass finds nobody new.
    loop {
        let mut found = false;
        for (index, process) in timeline.tasks.processes.iter().enumerate() {
            let of_recorder = process.parent.and_then(|parent| processes.get(parent.index()));
            if of_recorder == Some(&true)
                && let Some(records @ false) = processes.get_mut(index)
            {
                *records = true;
                found = true;
            }
        }
        if !found {
            return;
        }
    }
}

/// `/system/bin/traced_probes --background` is `traced_probes`.
pub(crate) fn program(command: &str) -> &str {
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
