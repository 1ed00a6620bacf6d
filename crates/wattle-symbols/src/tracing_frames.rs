//! Frames of the kernel's tracing itself, in samples of tracepoints.
//!
//! A tracepoint's sample is taken inside the function that handles it, which some kernels show as its innermost frames. The time that
//! such a sample stands for is not theirs but that of the code that the tracepoint is in. Samples of clocks and counters keep them:
//! there they say that tracing took time.

use wattle_timeline::{FrameKind, SampleUnit, StackSamples, Timeline};

/// Beginnings of the names of functions between a tracepoint and its sample: `DEFINE_TRACE`, `include/trace/perf.h`,
/// `include/trace/bpf_probe.h`, `kernel/trace/trace_event_perf.c`, `kernel/events/core.c`, `kernel/trace/bpf_trace.c`.
const BEGINNINGS: [&str; 17] = [
    "__traceiter_",
    "__tracepoint_",
    "perf_trace_",
    "trace_event_raw_event_",
    "trace_event_buffer_",
    "trace_event_reg",
    "__bpf_trace_",
    "bpf_trace_run",
    "trace_call_bpf",
    "do_perf_trace_",
    "do_trace_event_raw_event_",
    "perf_tp_event",
    "perf_swevent",
    "__perf_event_",
    "perf_event_output",
    "perf_callchain",
    "get_perf_callchain",
];
/// Names that say the same as a whole.
const NAMES: [&str; 5] = [
    "perf_prepare_sample",
    "perf_event_callchain",
    "perf_fetch_caller_regs",
    "perf_ftrace_function_call",
    "stack_trace_save",
];
/// Tracing is at most so deep: what lies further out is what was traced.
const DEEPEST: usize = 24;

/// Takes the frames of tracing from the innermost end of the stacks of tracepoints. Returns the number of samples that this changed.
pub(crate) fn cut(timeline: &mut Timeline) -> u64 {
    let samples = &mut timeline.code.samples;
    let is_tracepoint: Vec<bool> = samples
        .events
        .iter()
        .map(|event| {
            event.unit == SampleUnit::Occurrences
                && is_tracepoint_name(timeline.names.get(event.name))
        })
        .collect();
    let is_tracing: Vec<bool> = samples
        .frames
        .iter()
        .map(|frame| {
            let name = frame.function.map(|name| timeline.names.get(name));
            frame.kind == FrameKind::Kernel && name.is_some_and(is_tracing_function)
        })
        .collect();
    if !is_tracing.contains(&true) {
        return 0;
    }
    let mut all = std::mem::take(&mut samples.samples);
    let mut totals = std::mem::take(&mut samples.totals);
    let mut cut = 0;
    let events = all.iter_mut().map(|it| (it.event, &mut it.site));
    let events = events.chain(totals.iter_mut().map(|it| (it.event, &mut it.site)));
    for (event, site) in events {
        if is_tracepoint.get(usize::from(event.0)) != Some(&true) {
            continue;
        }
        let traced = traced_site(samples, *site, &is_tracing);
        if traced != *site {
            *site = traced;
            cut += 1;
        }
    }
    samples.samples = all;
    samples.totals = totals;
    cut
}

/// The innermost site outside of tracing. A stack of nothing else stays as it is.
fn traced_site(samples: &StackSamples, innermost: Option<u32>, is_tracing: &[bool]) -> Option<u32> {
    let (mut next, mut found) = (innermost, innermost);
    for _ in 0..DEEPEST {
        let Some(place) = next.and_then(|site| samples.sites.get(site as usize)) else { break };
        let frame = samples.frames.get(place.frame as usize);
        if frame.is_none_or(|frame| frame.kind != FrameKind::Kernel) {
            break;
        }
        // Callers come first: a site that names a later one would go in a circle.
        next = place.caller.filter(|caller| Some(*caller) < next);
        if is_tracing.get(place.frame as usize) == Some(&true) && next.is_some() {
            found = next;
        }
    }
    found
}

/// Whether an event is a tracepoint (`sched:sched_switch`), not a counter with modifiers (`cache-misses:u`).
fn is_tracepoint_name(name: &str) -> bool {
    let Some((group, event)) = name.split_once([':', '/']) else { return false };
    let is_word = |text: &str| text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let has_modifiers = event.bytes().all(|it| b"ukhGHIpPSDWeb".contains(&it));
    !group.is_empty() && is_word(group) && is_word(event) && !has_modifiers
}

fn is_tracing_function(name: &str) -> bool {
    // Compilers mark parts of functions: `perf_trace_sched_switch.isra.0`.
    let name = name.split('.').next().unwrap_or(name);
    NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{
        CallSite, CpuId, EventId, Frame, SampleEvent, StackSample, StackTotal, ThreadId,
    };
    use wattle_units::BootNanos;

    use super::*;

    /// A timeline with one sample and one total of an event, with a stack from the innermost function outwards.
    fn timeline(event: &str, stack: &[(&str, FrameKind)]) -> Timeline {
        let mut timeline = Timeline::default();
        let name = timeline.names.intern(event);
        let unit = SampleUnit::of_event(event);
        timeline.code.samples.events.push(SampleEvent { name, unit });
        for (at, (function, kind)) in stack.iter().rev().enumerate() {
            let function = Some(timeline.names.intern(function));
            let samples = &mut timeline.code.samples;
            samples.frames.push(Frame { function, kind: *kind, ..Frame::default() });
            let caller = at.checked_sub(1).map(|it| it as u32);
            samples.sites.push(CallSite { caller, frame: at as u32 });
        }
        let site = Some(stack.len() as u32 - 1);
        let (event, thread) = (EventId(0), ThreadId::IDLE);
        timeline.code.samples.samples.push(StackSample {
            time: BootNanos::new(1),
            cpu: Some(CpuId(0)),
            thread,
            site,
            event,
            weight: 1,
            is_truncated: false,
        });
        let total = StackTotal { site, weight: 1, event, thread };
        timeline.code.samples.totals.push(total);
        timeline
    }

    #[track_caller]
    fn check(event: &str, stack: &[(&str, FrameKind)], innermost: &str) {
        let mut timeline = timeline(event, stack);
        let before = timeline.code.samples.samples[0].site;
        let changed = cut(&mut timeline);
        let samples = &timeline.code.samples;
        let after = samples.samples[0].site;
        assert_eq!(changed, if before == after { 0 } else { 2 });
        assert_eq!(samples.totals[0].site, after);
        let first = samples.stack(after).next().and_then(|frame| frame.function);
        assert_eq!(first.map(|name| timeline.names.get(name)), Some(innermost));
    }

    #[test]
    fn stacks_of_tracepoints_begin_with_what_was_traced() {
        use FrameKind::{Kernel, Native};
        let switch = [
            ("perf_trace_sched_switch.isra.0", Kernel),
            ("__traceiter_sched_switch", Kernel),
            ("__schedule", Kernel),
            ("schedule", Kernel),
            ("main", Native),
        ];
        check("sched:sched_switch", &switch, "__schedule");
        // What lies between two frames of tracing is of it, too: a BPF program.
        let bpf = [
            ("bpf_prog_6deef7357e7b4530_x", Kernel),
            ("trace_call_bpf", Kernel),
            ("perf_trace_run_bpf_submit", Kernel),
            ("__traceiter_sys_enter", Kernel),
            ("do_syscall_64", Kernel),
        ];
        check("raw_syscalls:sys_enter", &bpf, "do_syscall_64");
        // A clock that ticks inside of tracing says that tracing took the time.
        check("cpu-clock", &switch, "perf_trace_sched_switch.isra.0");
        check("cache-misses:u", &switch, "perf_trace_sched_switch.isra.0");
        // Nothing outside of tracing is known.
        check("sched:sched_switch", &switch[..1], "perf_trace_sched_switch.isra.0");
        // A program's own function of such a name.
        check("sched:sched_switch", &[("perf_trace_x", Native), ("main", Native)], "perf_trace_x");
        check("sched:sched_switch", &switch[2..], "__schedule");
    }
}
