//! `thermal-throttling`.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, CpuTimeline, ProcessId, Window};
use wattle_units::Hertz;

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use crate::windows;
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "thermal-throttling",
    title: "The device took clocks away while it was busy",
    severity: FindingSeverity::Note,
    keeps_severity: true,
    example: "A game after ten minutes: the big cores' limit falls from 2.8 to 2.0 GHz, they run at it all the time, and the thermal zones \
              are ten degrees warmer than at the start.",
    counter_example: "A limit that falls when the screen goes off, while the cores are idle; a lower limit that is raised for a touch.",
    looks_for: "Upper limits of CPU clocks that fall below their highest value in the recording (cpu_frequency_limits), while the CPU \
                runs at the limit; thermal zones meanwhile (thermal_temperature); and who used the CPUs then.",
    why: "Heat is energy that was spent already, and a hot chip leaks more: the same work costs more of it, and takes longer. A battery \
          saver lowers limits as well.",
    remedy: "Spend less before the limit falls: a lower frame rate or resolution that the device can keep up, the thermal headroom \
             (PowerManager.getThermalHeadroom, ADPF) as a signal, no work that can wait. Compare runs only where none was throttled.",
    references: &[
        "https://developer.android.com/games/optimize/adpf/thermal",
        "https://source.android.com/docs/core/power/thermal-mitigation",
        "https://www.kernel.org/doc/html/latest/driver-api/thermal/index.html",
    ],
    thresholds: &[
        Threshold {
            name: "least-cut",
            value: 0.1,
            unit: "of the highest limit",
            meaning: "A limit that falls by less is none. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 2.0,
            unit: "s",
            meaning: "How long the CPU has to run at the lower limit. Ours.",
        },
        Threshold {
            name: "at-limit",
            value: 0.97,
            unit: "of the limit",
            meaning: "From this clock on a CPU runs at its limit. Ours.",
        },
        Threshold {
            name: "least-rise",
            value: 3.0,
            unit: "°C",
            meaning: "A thermal zone that is so much warmer then than at its coldest says that it was heat. Ours.",
        },
    ],
};

/// A CPU whose clocks were cut.
#[derive(Clone, Debug)]
struct Cut {
    cpu: usize,
    /// When it ran at a lower limit.
    windows: Vec<Window>,
    highest: Hertz,
    lowest: Hertz,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let cpus = &look.timeline.cpus;
    if cpus.iter().all(|cpu| cpu.frequency_limits.is_empty() || cpu.frequency.is_empty()) {
        return Outcome::without("clocks of CPUs beside their limits (cpu_frequency_limits)");
    }
    let Some(activity) = look.activity() else {
        return Outcome::without("switches of threads as the scheduler made them");
    };
    let cuts: Vec<Cut> =
        cpus.iter().enumerate().filter_map(|(index, cpu)| cut(look, index, cpu)).collect();
    Outcome::found(finding(look, activity, &cuts).into_iter().collect())
}

fn hertz(clock: Hertz) -> f64 {
    clock.value() as f64
}

/// When a CPU was busy at a limit that had fallen; `None` where that was not for long.
fn cut(look: &Look<'_>, index: usize, cpu: &CpuTimeline) -> Option<Cut> {
    let limits = || cpu.frequency_limits.segments(look.window);
    let highest = limits().map(|it| it.value.1).max()?;
    let least = hertz(highest) * (1.0 - look.threshold(&RULE, "least-cut"));
    let mut lowest = highest;
    let mut found = Vec::new();
    for limit in limits().filter(|it| hertz(it.value.1) < least) {
        let at = hertz(limit.value.1) * look.threshold(&RULE, "at-limit");
        let clocks = cpu.frequency.segments(limit.window).filter(|it| hertz(it.value) >= at);
        let before = found.len();
        found.extend(clocks.map(|it| it.window));
        if found.len() > before {
            lowest = lowest.min(limit.value.1);
        }
    }
    let busy = cpu.sched.iter().filter(|slice| !slice.thread.is_idle()).map(|it| it.window);
    let windows = windows::intersection(&windows::union(found), &windows::union(busy.collect()));
    let length = windows::total(&windows).seconds();
    (length > 0.0 && length >= look.threshold(&RULE, "least-time")).then_some(Cut {
        cpu: index,
        windows,
        highest,
        lowest,
    })
}

fn finding(look: &Look<'_>, activity: &Activity, cuts: &[Cut]) -> Option<Finding> {
    let worst = cuts.iter().max_by_key(|cut| windows::total(&cut.windows))?;
    let set = windows::union(cuts.iter().flat_map(|cut| cut.windows.clone()).collect());
    let whole = Window::new(set.first()?.start, set.last()?.end);
    let mut users: BTreeMap<ProcessId, f64> = BTreeMap::new();
    for thread in look.threads() {
        if let Some(process) = people::process_of(look.timeline, thread) {
            *users.entry(process).or_default() += activity.cpu(thread, &set).seconds();
        }
    }
    let all: f64 = users.values().sum();
    let mut users: Vec<(ProcessId, f64)> = users.into_iter().filter(|it| it.1 > 0.0).collect();
    users.sort_by(|one, other| other.1.total_cmp(&one.1));
    // Whoever used half of the CPUs made the heat; nobody else is named.
    let main = users.first().filter(|(_, cpu)| *cpu >= all * 0.5).map(|(process, _)| *process);
    let who = main.and_then(|process| people::process(look.timeline, process));
    let warmer = warmer(look, whole);
    let gigahertz = |clock: Hertz| format!("{:.2} GHz", hertz(clock) / 1e9);
    let title = format!(
        "CPU {} was held at {} or less (of {}) for {} while it was busy",
        worst.cpu,
        gigahertz(worst.lowest),
        gigahertz(worst.highest),
        seconds(windows::total(&worst.windows).seconds())
    );
    let confidence = if warmer.is_some() {
        Confidence::high(
            "limits that fell, clocks at the limit, and a thermal zone that grew warmer",
        )
    } else {
        Confidence::low(
            "limits fall for heat and for battery savers: no temperature was recorded that rose",
        )
    };
    let mut finding = look.finding(&RULE, FindingSeverity::Note, title, confidence);
    for cut in cuts.iter().take(4) {
        let text = format!(
            "CPU {}: {} at a limit down to {}",
            cut.cpu,
            seconds(windows::total(&cut.windows).seconds()),
            gigahertz(cut.lowest)
        );
        finding.evidence.push(evidence(text, windows::hull(&cut.windows)));
    }
    if let Some((zone, from, to)) = warmer {
        let text = format!("thermal zone {zone}: {to:.1} °C then, {from:.1} °C at its coldest");
        finding.evidence.push(evidence(text, Some(whole)));
    }
    for (process, cpu) in users.iter().take(3) {
        let name = people::process(look.timeline, *process).unwrap_or_default();
        let text = format!("{name}: {} of the CPU time then", percent(cpu / all));
        finding.evidence.push(evidence(text, None));
    }
    finding.who = who;
    Some(finding)
}

/// The thermal zone that was warmest then against its coldest: its name, and both temperatures in °C.
fn warmer(look: &Look<'_>, whole: Window) -> Option<(String, f64, f64)> {
    let names = &look.timeline.names;
    let of_device = |scope| matches!(scope, CounterScope::Global);
    let zones = look.timeline.system.counters.iter().filter(|it| of_device(it.scope));
    let zones = zones.filter_map(|track| {
        let zone = names.get(track.name).strip_suffix(" Temperature")?;
        // Drivers write thousandths of a degree.
        let degrees = |value: &f64| if value.abs() > 1000.0 { value / 1000.0 } else { *value };
        let coldest = track.value.iter().map(degrees).fold(f64::INFINITY, f64::min);
        let then = track.time.iter().zip(&track.value).filter(|(time, _)| whole.contains(**time));
        let warmest = then.map(|(_, value)| degrees(value)).fold(f64::NEG_INFINITY, f64::max);
        let rise = warmest - coldest;
        (rise.is_finite() && rise >= look.threshold(&RULE, "least-rise"))
            .then(|| (zone.to_owned(), coldest, warmest))
    });
    zones.max_by(|one, other| (one.2 - one.1).total_cmp(&(other.2 - other.1)))
}
