//! Bytes that each call moved itself, as a hook around it saw (after Hitani et al., section 4.4, log B).

use wattle_timeline::{CounterScope, CounterTrack, Timeline, Window};
use wattle_units::CompensatedSum;

use super::allocate::Polls;
use super::innermost_calls::Calls;
use super::{Allocation, AllocationOptions};

/// Gives each low-level call the bytes that it is known to have moved. Of calls inside each other the inner ones are given
/// theirs, the outer one what is left, so that no byte is given twice. `None` where no such call is known to have moved any:
/// then nothing was hooked.
///
/// With a counter, what it counted beyond the calls' bytes is unattributed (headers, retransmissions, calls without a hook),
/// what the calls moved beyond it is [`Allocation::excess`] (what never reached the interface: loopback, caches); calls wholly
/// before its first or after its last sample are given nothing, as when it is shared. Its resets are not counted, as there.
/// Without a counter what the calls moved is all that is known to be counted.
///
/// [`AllocationOptions::tail`] means nothing here.
pub fn by_bytes(
    timeline: &Timeline,
    counter: Option<&CounterTrack>,
    options: &AllocationOptions,
) -> Option<Allocation> {
    let scope = counter.map_or(CounterScope::Global, |counter| counter.scope);
    let found = Calls::find(timeline, &options.calls, scope);
    if found.moved.iter().all(|(bytes, _)| *bytes == 0) {
        return None;
    }
    let own = found.own_bytes();
    let Calls { amounts: mut calls, paths, .. } = found;
    for (call, own) in calls.iter_mut().zip(own) {
        call.amount = own as f64;
    }
    let mut found = Allocation { paths, ..Allocation::default() };
    let polls = counter.map(Polls::new);
    if let Some(Polls { times, increments, resets }) = &polls {
        let counted = times.first().zip(times.last());
        for call in &mut calls {
            if !counted.is_some_and(|(first, last)| touches(call.window, *first, *last)) {
                call.amount = 0.0;
            }
        }
        found.intervals = increments.len() as u64;
        found.resets = *resets;
        found.counted = increments.iter().copied().collect::<CompensatedSum>().value();
    }
    found.calls = calls;
    let allocated = found.allocated();
    if polls.is_none() {
        found.counted = allocated;
    }
    found.unattributed = (found.counted - allocated).max(0.0);
    found.excess = (allocated - found.counted).max(0.0);
    Some(found)
}

/// Whether a call ran between two samples, if only for no time.
fn touches(call: Window, first: wattle_units::BootNanos, last: wattle_units::BootNanos) -> bool {
    call.end >= first && call.start <= last
}
