//! The recorder's own threads.

use wattle_timeline::{Thread, Timeline};

use super::probe_time::ProbeTimes;
use crate::recorder_processes::{is_program, recorder_processes};

/// The thread of the probes' runtime class, in the app's own process.
const PROBE_THREAD: &str = "wattle-probes";

/// By thread: whether it belongs to one of the programs, to a process that the recording names, or to the probes
/// in an app. A thread of which the process is not known goes by its own name.
pub(super) fn find(timeline: &Timeline, probes: &ProbeTimes, programs: &[String]) -> Vec<bool> {
    let records = |name| is_program(timeline.names.get(name), programs);
    let processes = recorder_processes(timeline, programs);
    let probed = probes.processes(timeline);
    let probe_thread = timeline.names.find(PROBE_THREAD);
    let is_of_probes = |thread: &Thread| {
        let in_probed = thread.process.and_then(|process| probed.get(process.index()));
        thread.name.is_some() && thread.name == probe_thread && in_probed == Some(&true)
    };
    timeline
        .tasks
        .threads
        .iter()
        .map(|thread| match thread.process {
            Some(process) => {
                processes.get(process.index()).copied().unwrap_or(false) || is_of_probes(thread)
            }
            None => thread.name.is_some_and(records),
        })
        .collect()
}
