//! Hardware counters of cores: cycles, instructions and cache misses, as recorders read them where threads are switched.

use wattle_timeline::{CounterScope, CounterTrack, CpuId, Timeline};

/// Names of counters, as `perf` and Perfetto write them.
const NAMES: [&str; 3] = ["cpu-cycles", "instructions", "cache-misses"];

/// Cycles, instructions and cache misses of one core; `None` where the recording does not hold all of them.
pub(crate) fn of_core(timeline: &Timeline, cpu: CpuId) -> Option<[&CounterTrack; 3]> {
    let [cycles, instructions, misses] = NAMES.map(|name| {
        let name = timeline.names.find(name)?;
        let scope = CounterScope::Cpu(cpu);
        timeline.system.counters.iter().find(|it| it.name == name && it.scope == scope)
    });
    Some([cycles?, instructions?, misses?])
}

/// Whether any core was counted.
pub(crate) fn are_there(timeline: &Timeline) -> bool {
    (0..timeline.cpus.len() as u32).any(|cpu| of_core(timeline, CpuId(cpu)).is_some())
}
