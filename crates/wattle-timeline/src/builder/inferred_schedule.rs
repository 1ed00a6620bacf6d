//! Who ran when, where only samples tell it.
//!
//! A profiler that recorded no scheduler events still took samples on CPUs, and each stands for the time before it: nanoseconds
//! for a clock, cycles over the clock's frequency for cycles. Nothing is known of the rest.

use wattle_units::{Hertz, Nanos};

use super::MAX_CPUS;
use crate::{
    CpuId, CpuTimeline, EventId, Note, SampleUnit, SchedSlice, Severity, StackSample, TaskState,
    Timeline, Window,
};

/// Frequencies that CPUs have: what lies outside is a counter that was not the only one's.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e8..=1e10;

/// Fills in the slices of CPUs from samples, if nothing recorded the scheduler.
pub(super) fn infer(timeline: &mut Timeline) {
    if timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty()) {
        return;
    }
    let Some(event) = most_sampled(timeline) else { return };
    let unit =
        timeline.code.samples.event(event).map_or(SampleUnit::Occurrences, |event| event.unit);
    let mut of_cpu: Vec<Vec<StackSample>> = Vec::new();
    let mut without_cpu = 0_u64;
    for sample in timeline.code.samples.samples.iter().filter(|sample| sample.event == event) {
        let Some(CpuId(cpu)) = sample.cpu.filter(|cpu| cpu.0 < MAX_CPUS) else {
            without_cpu += 1;
            continue;
        };
        // A clock that ticks while the idle task runs says that nothing ran.
        if sample.thread.is_idle() {
            continue;
        }
        if of_cpu.len() <= cpu as usize {
            of_cpu.resize_with(cpu as usize + 1, Vec::new);
        }
        of_cpu[cpu as usize].push(*sample);
    }
    if timeline.cpus.len() < of_cpu.len() {
        timeline.cpus.resize_with(of_cpu.len(), CpuTimeline::default);
    }
    let mut first = timeline.window.start;
    let mut has_clock = true;
    for (cpu, samples) in timeline.cpus.iter_mut().zip(&of_cpu) {
        if samples.is_empty() {
            continue;
        }
        let assumed = (unit == SampleUnit::Cycles).then(|| frequency(samples)).flatten();
        if let Some(frequency) = assumed.filter(|_| cpu.frequency.is_empty()) {
            cpu.frequency.push(timeline.window.start, frequency);
            cpu.frequency_is_polled_before = Some(timeline.window.end);
        }
        has_clock &= !cpu.frequency.is_empty();
        let usual = usual_gap(samples);
        let length = |sample: &StackSample| match (unit, sample.weight) {
            (_, 0) | (SampleUnit::Occurrences, _) => usual,
            (SampleUnit::Nanos, weight) => {
                Some(Nanos::new(i64::try_from(weight).unwrap_or(i64::MAX)))
            }
            (SampleUnit::Cycles, weight) => {
                let known = cpu.frequency.at(sample.time).or(cpu.frequency.first().map(|it| it.1));
                let hertz = known.map(|hertz| hertz.value() as f64).filter(|hertz| *hertz > 0.0);
                hertz.map_or(usual, |hertz| Some(Nanos::new((weight as f64 / hertz * 1e9) as i64)))
            }
        };
        for sample in samples {
            let Some(length) = length(sample) else { continue };
            let window = Window::new(sample.time - length, sample.time);
            if cpu.sched.is_empty() {
                first = first.min(window.start);
            }
            cpu.sched.push(SchedSlice {
                window,
                thread: sample.thread,
                // Runnable: a sample does not say that the thread left.
                end_state: Some(TaskState(0)),
            });
        }
        cpu.sched_is_inferred = true;
    }
    if !timeline.is_schedule_inferred() {
        if without_cpu > 0 {
            let text = "neither scheduler events nor the CPUs of samples were recorded: when threads ran is not known, so \
                        they have samples and no energy";
            let note = Note::new(Severity::Warning, "schedule-unknown", text);
            timeline.quality.notes.push(note.times(without_cpu));
        }
        return;
    }
    timeline.window.start = timeline.window.start.min(first);
    let clock = if has_clock {
        "frequencies come from cycles over time where no event told them"
    } else {
        "frequencies are assumed where no event told them"
    };
    let text = format!(
        "no scheduler events: the time that threads had on CPUs comes from the weights of their samples, {clock}, and \
         nothing is known of other threads"
    );
    timeline.quality.notes.push(Note::new(Severity::Warning, "schedule-inferred", text));
}

/// The event that ticks while threads run of which there are most samples.
fn most_sampled(timeline: &Timeline) -> Option<EventId> {
    let samples = &timeline.code.samples;
    let mut counts = vec![0_u64; samples.events.len()];
    for sample in &samples.samples {
        if let Some(count) = counts.get_mut(usize::from(sample.event.0)) {
            *count += 1;
        }
    }
    let events = (0_u16..).map(EventId).zip(counts);
    let ticking = events.filter(|(event, count)| {
        let unit = samples.event(*event).map(|event| event.unit);
        *count > 0 && unit.is_some_and(|unit| unit != SampleUnit::Occurrences)
    });
    ticking.max_by_key(|(event, count)| (*count, u16::MAX - event.0)).map(|(event, _)| event)
}

/// Times between samples of one thread that follow each other.
fn gaps(samples: &[StackSample]) -> impl Iterator<Item = (Nanos, &StackSample)> {
    samples.windows(2).filter_map(|pair| match pair {
        [one, other] if one.thread == other.thread && one.time < other.time => {
            Some((other.time - one.time, other))
        }
        _ => None,
    })
}

/// The median of those, for samples of which nothing says how much they stand for.
fn usual_gap(samples: &[StackSample]) -> Option<Nanos> {
    let mut found: Vec<Nanos> = gaps(samples).map(|(gap, _)| gap).collect();
    found.sort_unstable();
    found.get(found.len() / 2).copied()
}

/// The frequency at which cycles were counted: a CPU that runs from one sample to the next counts as many cycles as its clock
/// ticks, one that sleeps in between counts fewer, so the nine-tenths quantile is taken.
fn frequency(samples: &[StackSample]) -> Option<Hertz> {
    let mut rates: Vec<f64> = gaps(samples)
        .map(|(gap, sample)| sample.weight as f64 / gap.value() as f64 * 1e9)
        .filter(|rate| PLAUSIBLE.contains(rate))
        .collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() * 9 / 10).map(|rate| Hertz::new(*rate as u64))
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;
    use crate::{NameId, SampleEvent, ThreadId, TimelineBuilder};

    /// (time, cpu, tid, weight)
    type Sample = (i64, Option<u32>, u32, u64);

    fn build(unit: SampleUnit, samples: &[Sample]) -> Timeline {
        let mut builder = TimelineBuilder::new();
        let event = builder.samples().event(SampleEvent { name: NameId(0), unit });
        for (time, cpu, tid, weight) in samples {
            let (time, thread) = (BootNanos::new(*time), ThreadId(*tid));
            let (cpu, weight, is_truncated) = (cpu.map(CpuId), *weight, false);
            let sample = StackSample { time, cpu, thread, site: None, event, weight, is_truncated };
            builder.samples().sample(Some(*tid), sample);
        }
        builder.finish()
    }

    /// The slices of the CPUs as (start, end, tid).
    #[track_caller]
    fn check(unit: SampleUnit, samples: &[Sample], expected: &[&[(i64, i64, u32)]]) {
        let timeline = build(unit, samples);
        let found: Vec<Vec<_>> = timeline
            .cpus
            .iter()
            .map(|cpu| {
                assert_eq!(cpu.sched_is_inferred, !cpu.sched.is_empty());
                let slices = cpu.sched.iter();
                slices
                    .map(|slice| {
                        let tid = timeline.tasks.threads[slice.thread.index()].tid.0;
                        (slice.window.start.value(), slice.window.end.value(), tid)
                    })
                    .collect()
            })
            .collect();
        assert_eq!(found, expected);
        for slice in found.iter().flatten() {
            assert!(timeline.window.start.value() <= slice.0);
        }
    }

    #[test]
    fn a_sample_of_a_clock_stands_for_its_period() {
        let unit = SampleUnit::Nanos;
        check(unit, &[(100, Some(1), 7, 10)], &[&[], &[(90, 100, 7)]]);
        // Two threads on one CPU share its time, never more than there was.
        check(
            unit,
            &[(100, Some(0), 7, 10), (104, Some(0), 8, 10), (120, Some(0), 7, 10)],
            &[&[(90, 100, 7), (100, 104, 8), (110, 120, 7)]],
        );
        // The idle task has no time of its own.
        check(unit, &[(100, Some(0), 0, 10), (130, Some(0), 7, 10)], &[&[(120, 130, 7)]]);
        check(unit, &[(100, None, 7, 10)], &[]);
    }

    #[test]
    fn a_sample_of_cycles_stands_for_them_at_the_clock_that_they_show() {
        // 2 GHz: 2,000 cycles in 1,000 ns; once the thread slept.
        let samples: Vec<Sample> = [1_000, 2_000, 3_000, 4_000, 9_000]
            .into_iter()
            .map(|time| (time, Some(0), 7, 2_000))
            .collect();
        let slices: Vec<_> = samples.iter().map(|it| (it.0 - 1_000, it.0, 7)).collect();
        check(SampleUnit::Cycles, &samples, &[&slices]);
        let timeline = build(SampleUnit::Cycles, &samples);
        assert_eq!(timeline.cpus[0].frequency.last().map(|it| it.1.value()), Some(2_000_000_000));
    }

    #[test]
    fn what_only_happens_says_nothing_of_time() {
        check(SampleUnit::Occurrences, &[(100, Some(0), 7, 1)], &[]);
    }

    #[test]
    fn without_weights_the_usual_gap_counts() {
        let samples: Vec<Sample> = (1..6).map(|i| (i * 100, Some(0), 7, 0)).collect();
        let slices: Vec<_> = (1..6).map(|i| ((i - 1) * 100, i * 100, 7)).collect();
        check(SampleUnit::Nanos, &samples, &[&slices]);
    }
}
