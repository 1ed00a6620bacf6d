//! The cores that share the power of a set of cores at each instant.
//!
//! ```text
//! core 0     ──idle──┐─────busy──────┌──idle──────────
//! core 1     ──idle───────┐──busy─┌─────idle──────────
//! sharers      Nobody│ 1  │   2   │1 │    Nobody
//! each gets          │ P  │  P/2  │P │  (P: idle floor)
//! ```
//! A block that several cores share (cluster, L3, interconnect) draws its power `P(t)` if any of them is busy. With `n(t)` busy cores
//! each one gets `P(t) / n(t)`. That is the Shapley value of the game `v(S) = P` for every set `S` of busy cores that is not empty: all
//! of them play the same part in it, so equal shares are the only division that is symmetric and adds up to `P` (Dong, Lan and Zhong,
//! *Rethink Energy Accounting with Cooperative Game Theory*, MobiCom 2014). A core's marginal power would not do: with two busy cores
//! it is 0 for both, and nobody would get `P`.
//!
//! The changes of all cores are merged in order of time by a heap with one entry for each core, `O(changes · log cores)`. All changes
//! of one instant are applied before the sharers are read: a task that moves from one core to another at an instant would else
//! leave a piece of no length with both cores or none. A core without events is unknown, not idle, and power is *unattributed* only
//! where no other core is known to be busy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wattle_power::{PowerTrack, SourceId};
use wattle_timeline::{CpuId, Window};
use wattle_units::{BootNanos, Watts};

use crate::SharedPolicy;
use crate::attribution::occupancy::{Activity, CoreOccupancy};
use crate::attribution::{walk, work};

/// The cores that shared power is attributed to at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharers {
    /// Every busy core of the set; how many those are.
    Busy(u16),
    /// One core of the set, by its place in it.
    One(u16),
    /// No core is busy.
    Nobody,
    /// No core is known to be busy, and of some nothing is known; or the policy says so.
    Unknown,
}

/// The sharers of a set of cores over time.
#[derive(Debug, Default)]
pub(crate) struct SetActivity {
    start: Vec<BootNanos>,
    sharers: Vec<Sharers>,
}

impl SetActivity {
    /// Over all of the timeline. A core that the timeline does not have is unknown.
    pub(crate) fn new(set: &[CpuId], cores: &[CoreOccupancy], policy: SharedPolicy) -> Self {
        let columns: Vec<&[(BootNanos, Activity)]> = set
            .iter()
            .map(|cpu| cores.get(cpu.index()).map_or(&[][..], |core| core.activity.as_slice()))
            .collect();
        let mut state = SetState::new(set.len(), policy);
        // What is not used costs only addresses.
        let changes = columns.iter().map(|column| column.len()).sum();
        let (start, sharers) = (Vec::with_capacity(changes), Vec::with_capacity(changes));
        let mut found = Self { start, sharers };
        // Changes of all cores in order of time, and of cores at one instant.
        let mut heads: BinaryHeap<Reverse<(BootNanos, usize, usize)>> = columns
            .iter()
            .enumerate()
            .filter_map(|(place, column)| Some(Reverse((column.first()?.0, place, 0))))
            .collect();
        while let Some(Reverse((time, ..))) = heads.peek().copied() {
            while let Some(mut head) = heads.peek_mut()
                && head.0.0 == time
            {
                work::count();
                let Reverse((_, place, index)) = *head;
                let Some(column) = columns.get(place) else { break };
                if let Some((_, activity)) = column.get(index) {
                    state.set(place, *activity);
                }
                match column.get(index + 1) {
                    Some((next, _)) => head.0 = (*next, place, index + 1),
                    None => drop(std::collections::binary_heap::PeekMut::pop(head)),
                }
            }
            state.settle();
            let sharers = state.sharers();
            if found.sharers.last() != Some(&sharers) {
                found.start.push(time);
                found.sharers.push(sharers);
            }
        }
        found
    }

    fn pieces(&self) -> impl Iterator<Item = (Window, Sharers)> + '_ {
        self.sharers.iter().enumerate().map(|(i, sharers)| {
            let end = self.start.get(i + 1).copied().unwrap_or(BootNanos::MAX);
            (Window { start: self.start[i], end }, *sharers)
        })
    }
}

/// The activity of the cores of a set at an instant.
struct SetState {
    policy: SharedPolicy,
    activity: Vec<Activity>,
    busy: u16,
    unknown: u16,
    /// Busy cores in the order in which they became so; kept only for [`SharedPolicy::FirstWaker`].
    order: Vec<u16>,
}

impl SetState {
    fn new(cores: usize, policy: SharedPolicy) -> Self {
        let activity = vec![Activity::Unknown; cores];
        Self { policy, activity, busy: 0, unknown: cores as u16, order: Vec::new() }
    }

    fn set(&mut self, place: usize, activity: Activity) {
        let Some(current) = self.activity.get_mut(place) else { return };
        let before = std::mem::replace(current, activity);
        match before {
            Activity::Busy => self.busy -= 1,
            Activity::Unknown => self.unknown -= 1,
            Activity::Idle => {}
        }
        match activity {
            Activity::Busy => self.busy += 1,
            Activity::Unknown => self.unknown += 1,
            Activity::Idle => {}
        }
    }

    /// All changes of an instant are in.
    fn settle(&mut self) {
        if self.policy == SharedPolicy::FirstWaker {
            let Self { activity, order, .. } = self;
            order.retain(|place| activity.get(usize::from(*place)) == Some(&Activity::Busy));
            for (place, activity) in activity.iter().enumerate() {
                let place = place as u16;
                if *activity == Activity::Busy && !order.contains(&place) {
                    order.push(place);
                }
            }
        }
    }

    fn sharers(&self) -> Sharers {
        match self.policy {
            _ if self.busy == 0 && self.unknown > 0 => Sharers::Unknown,
            _ if self.busy == 0 => Sharers::Nobody,
            SharedPolicy::Proportional => Sharers::Busy(self.busy),
            SharedPolicy::None => Sharers::Unknown,
            SharedPolicy::FirstWaker => {
                self.order.first().map_or(Sharers::Nobody, |place| Sharers::One(*place))
            }
        }
    }
}

/// A stretch of shared power: the part of each sharer, its source, and the sharers.
pub(crate) type Share = (Watts, SourceId, Sharers);

/// The power of a track by stretches of equal sharers, in batches that stay in a processor's cache while each
/// core of the set goes through them.
pub(crate) fn in_batches(
    track: &PowerTrack,
    activity: &SetActivity,
    window: Window,
    mut use_batch: impl FnMut(&[(Window, Share)]),
) {
    const BATCH: usize = 2048;
    let unknown_until = activity.start.first().copied().unwrap_or(BootNanos::MAX);
    let before = (Window { start: BootNanos::MIN, end: unknown_until }, Sharers::Unknown);
    let segments = track
        .segments()
        .skip(track.segment_at(window.start))
        .take_while(|segment| segment.window.start < window.end)
        .map(|segment| (segment.window.intersect(window), (segment.power, segment.source)));
    let mut batch = Vec::with_capacity(BATCH);
    walk::both(
        segments,
        std::iter::once(before).chain(activity.pieces()),
        |piece, (power, source), sharers| {
            let part = match sharers {
                Sharers::Busy(cores) => power / f64::from(cores),
                _ => power,
            };
            batch.push((piece, (part, source, sharers)));
            if batch.len() == BATCH {
                use_batch(&batch);
                batch.clear();
            }
        },
    );
    use_batch(&batch);
}
