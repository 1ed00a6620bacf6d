//! Threads of a ledger as threads of the timeline that it was made of.

use rustc_hash::FxHashMap;
use wattle_ledger::Ledger;
use wattle_timeline::{ThreadId, Timeline};

/// By thread of the ledger. A ledger writes its threads in the order of the timeline's, those that did nothing left out; kernel
/// numbers are reused, so lives of one number are told apart by that order.
pub(crate) fn ledger_threads(timeline: &Timeline, ledger: &Ledger) -> Vec<Option<ThreadId>> {
    let name = |name: Option<_>| name.map_or("", |name| timeline.names.get(name));
    let mut lives: FxHashMap<(Option<u32>, u32, &str), Vec<ThreadId>> = FxHashMap::default();
    for (id, thread) in (0..).map(ThreadId).zip(&timeline.tasks.threads) {
        let process = thread.process.and_then(|it| timeline.tasks.processes.get(it.index()));
        let pid = process.map(|process| process.pid.0);
        lives.entry((pid, thread.tid.0, name(thread.name))).or_default().push(id);
    }
    let mut after = ThreadId(0);
    let of = |thread: &wattle_ledger::ThreadEntry| {
        let pid = ledger.rows.processes.get(thread.process as usize).and_then(|it| it.pid);
        let lives = lives.get(&(pid, thread.tid, thread.name.as_str()))?;
        let found = *lives.iter().find(|id| **id >= after).or(lives.last())?;
        after = ThreadId(found.0.saturating_add(1));
        Some(found)
    };
    ledger.rows.threads.iter().map(of).collect()
}
