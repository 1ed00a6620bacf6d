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
            process.name.is_some_and(|name| is_program(timeline.names.get(name), programs))
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

/// Whether a command is one of some programs, whatever its folder, its arguments and the case of its letters.
pub fn is_program(command: &str, programs: &[impl AsRef<str>]) -> bool {
    let first_word = command.split_ascii_whitespace().next().unwrap_or_default();
    // Folders of Windows have blanks, commands of Unix have arguments.
    [first_word, command].iter().any(|path| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let stem = name
            .len()
            .checked_sub(4)
            .filter(|at| name.get(*at..).is_some_and(|ending| ending.eq_ignore_ascii_case(".exe")));
        let name = stem.map_or(name, |at| &name[..at]);
        programs.iter().any(|program| program.as_ref().eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: bool) {
        let programs = ["traced_probes", "logcat", "adbd", "perfview", "wprui"];
        assert_eq!(is_program(command, &programs), expected, "{command}");
    }

    #[test]
    fn the_last_part_of_the_path_names_the_program() {
        check("/system/bin/traced_probes --background", true);
        check("/apex/com.android.adbd/bin/adbd", true);
        check("logcat -v threadtime /sdcard/x", true);
        check("C:\\Program Files\\PerfView\\PerfView.exe", true);
        check("PerfView.exe", true);
        check("wprui.EXE", true);
        check("com.example.logcat", false);
        check("com.example.app:remote", false);
        check("perfviewer", false);
        check(".exe", false);
        check("ä.exe", false);
        check("", false);
    }
}
