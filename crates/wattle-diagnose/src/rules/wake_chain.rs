//! `wake-chain`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{ThreadId, Window};
use wattle_units::{BootNanos, Nanos};

use super::kernel_threads;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::wakers::{Waker, waker};
use super::{code_places, people};
use crate::windows;
use crate::words::{figure, seconds, time};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "wake-chain",
    title: "One timer wakes a chain of threads at idle",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A timer thread that each 500 ms posts to a dispatcher, which wakes a worker, which wakes a logger: four threads on three cores, \
              eight times as many switches as the timer alone.",
    counter_example: "A touch that goes through the input reader, the dispatcher and the app: that is no idle time, and no timer.",
    looks_for: "Threads that a timer or a device wakes again and again at idle, and that wake others within a few milliseconds, which wake \
                others (sched_waking; Windows' ReadyThread). Counted are the threads that one such wake-up reaches.",
    why: "Each link of the chain is a switch of its own, often on another core that has to leave its idle state: the cores are awake for \
          as long as the chain takes, not for as long as it works.",
    remedy: "Do the work in the thread that the timer woke, or hand it over in one step; let the stages gather until there is much to do; \
             and stop the timer while nobody needs its work.",
    references: &[
        "https://learn.microsoft.com/windows-hardware/test/wpt/cpu-analysis#ready-thread-analysis",
        "https://perfetto.dev/docs/data-sources/cpu-scheduling#decoding-wakeup-latency",
        "Intel, Energy-Efficient Software Guidelines: consolidate timers and threads",
    ],
    thresholds: &[
        Threshold {
            name: "least-length",
            value: 3.0,
            unit: "other threads",
            meaning: "So many other threads a wake-up has to reach, on average. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 10.0,
            unit: "times",
            meaning: "Fewer are no habit. Ours.",
        },
        Threshold {
            name: "least-rate",
            value: 0.5,
            unit: "/s",
            meaning: "Rarer chains let the device sleep. Ours.",
        },
        Threshold {
            name: "longest-step",
            value: 10.0,
            unit: "ms",
            meaning: "How long after it was woken a thread may wake the next one of its chain. Ours.",
        },
    ],
};

/// The chain that the last wake-up of a thread belongs to.
#[derive(Clone, Copy)]
struct Link {
    chain: usize,
    at: BootNanos,
}

/// A wake-up by a timer or a device and the threads that it reached.
struct Chain {
    root: ThreadId,
    start: BootNanos,
    end: BootNanos,
    others: Vec<ThreadId>,
    /// Every wake-up in it.
    wakes: Vec<(ThreadId, BootNanos)>,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let wakeups = &look.timeline.wakeups;
    if wakeups.is_empty() {
        return Outcome::without("wake-ups of threads (sched_waking)");
    }
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    let mut by_root: BTreeMap<ThreadId, Vec<Chain>> = BTreeMap::new();
    for chain in chains(look) {
        by_root.entry(chain.root).or_default().push(chain);
    }
    let found = by_root.into_iter();
    Outcome::found(found.filter_map(|(root, chains)| of_root(look, root, &chains)).collect())
}

fn chains(look: &Look<'_>) -> Vec<Chain> {
    let timeline = look.timeline;
    let wakeups = &timeline.wakeups;
    let mut order: Vec<usize> = (0..wakeups.len()).collect();
    order.sort_by_key(|at| wakeups.time.get(*at));
    let step = Nanos::from_seconds(look.threshold(&RULE, "longest-step") * 1e-3);
    let mut chains: Vec<Chain> = Vec::new();
    let mut last: FxHashMap<ThreadId, Link> = FxHashMap::default();
    for at in order {
        let (Some(time), Some(cpu), Some(thread)) =
            (wakeups.time.get(at), wakeups.cpu.get(at), wakeups.thread.get(at))
        else {
            continue;
        };
        if windows::around(&look.idle, *time).is_none() {
            continue;
        }
        let chain = match waker(timeline, *cpu, *time) {
            Waker::Interrupt => {
                chains.push(Chain {
                    root: *thread,
                    start: *time,
                    end: *time,
                    others: Vec::new(),
                    wakes: vec![(*thread, *time)],
                });
                chains.len() - 1
            }
            Waker::Thread(by) => {
                let link = last.get(&by).filter(|link| *time - link.at <= step);
                let Some(link) = link else { continue };
                let Some(chain) = chains.get_mut(link.chain) else { continue };
                chain.end = *time;
                chain.wakes.push((*thread, *time));
                // The kernel's own threads serve whoever runs: they are no link that an app could take out.
                let is_link =
                    *thread != chain.root && !kernel_threads::is_kernel(timeline, *thread);
                if is_link && !chain.others.contains(thread) {
                    chain.others.push(*thread);
                }
                link.chain
            }
            Waker::Unknown => continue,
        };
        last.insert(*thread, Link { chain, at: *time });
    }
    chains
}

fn of_root(look: &Look<'_>, root: ThreadId, chains: &[Chain]) -> Option<Finding> {
    let process = people::process_of(look.timeline, root);
    if !look.is_thread_looked_at(root) || kernel_threads::is_kernel(look.timeline, root) {
        return None;
    }
    let long: Vec<&Chain> = chains.iter().filter(|chain| !chain.others.is_empty()).collect();
    let count = long.len() as f64;
    let reached: usize = long.iter().map(|chain| chain.others.len()).sum();
    let mean = reached as f64 / count.max(1.0);
    let rate = count / look.idle_seconds();
    let is_one = count >= look.threshold(&RULE, "least-count")
        && mean >= look.threshold(&RULE, "least-length")
        && rate >= look.threshold(&RULE, "least-rate");
    if !is_one {
        return None;
    }
    let who = process.and_then(|process| people::process(look.timeline, process));
    let name = people::thread(look.timeline, root);
    let title = format!(
        "each wake-up of {name} wakes {} other threads, {} times each second at idle",
        figure(mean),
        figure(rate)
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, look.idle_confidence());
    let longest = long.iter().max_by_key(|chain| (chain.others.len(), chain.end - chain.start))?;
    let names: Vec<String> =
        longest.others.iter().take(6).map(|it| people::thread(look.timeline, *it)).collect();
    let text = format!(
        "the one that reached most, within {}: {name}, then {}",
        time(longest.end - longest.start),
        names.join(", ")
    );
    finding.evidence.push(evidence(text, Some(Window::new(longest.start, longest.end))));
    let text = format!("{} chains in {} of idle time", long.len(), seconds(look.idle_seconds()));
    finding.evidence.push(evidence(text, None));
    finding.thread = Some(name);
    finding.place = code_places::of_thread(look.timeline, root, &look.idle, true);
    finding.who = who;
    finding.at_stake = look.at_stake_of_each(&runs(look, &long));
    Some(finding)
}

/// The runs of each thread because chains woke it: from each wake-up until it left the CPU.
fn runs(look: &Look<'_>, chains: &[&Chain]) -> BTreeMap<ThreadId, Vec<Window>> {
    let Some(activity) = look.activity() else { return BTreeMap::new() };
    let mut wakes: BTreeMap<ThreadId, Vec<BootNanos>> = BTreeMap::new();
    for (thread, time) in chains.iter().flat_map(|chain| &chain.wakes) {
        wakes.entry(*thread).or_default().push(*time);
    }
    let of_thread = |(thread, mut wakes): (ThreadId, Vec<BootNanos>)| {
        wakes.sort_unstable();
        let mut runs = activity.runs(thread).peekable();
        let mut found = Vec::new();
        for wake in wakes {
            while runs.next_if(|run| run.window.end <= wake).is_some() {}
            found.extend(runs.peek().map(|run| run.window));
        }
        found.dedup();
        (thread, found)
    };
    wakes.into_iter().map(of_thread).collect()
}
