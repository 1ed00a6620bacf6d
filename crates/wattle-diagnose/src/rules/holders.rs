//! For how long apps held wakelocks.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, Quantity, StateKind, Uid, Window};

use super::held;
use super::look::Look;
use super::wakelock_tag::TakenBy;
use crate::windows;

/// One app's wakelocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Holder {
    /// Seconds that it held any, those that stores do not count taken out.
    pub(super) seconds: f64,
    /// Seconds of those that are not counted.
    pub(super) exempt: f64,
    /// Over which stretch of time, in seconds.
    pub(super) of: f64,
    /// That stretch, where it is known.
    pub(super) window: Option<Window>,
    /// By name: seconds and how often, the longest first.
    pub(super) tags: Vec<Held>,
    /// The longest stretch of one wakelock, with its name; `None` where only totals are known.
    pub(super) longest: Option<(Window, Option<NameId>)>,
    /// Whether seconds are the system's own totals.
    pub(super) is_counted: bool,
}

/// One wakelock of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) tag: NameId,
    pub(super) seconds: f64,
    pub(super) times: f64,
}

/// By app: the system's totals where it counted them, else its history.
pub(super) fn holders(look: &Look<'_>) -> BTreeMap<Uid, Holder> {
    let mut holders = by_history(look);
    for (uid, mut counted) in by_totals(look) {
        counted.longest = holders.get(&uid).and_then(|known| known.longest);
        holders.insert(uid, counted);
    }
    holders
}

/// The stretch that totals of wakelocks are of: time on battery, else their window.
fn by_totals(look: &Look<'_>) -> BTreeMap<Uid, Holder> {
    let timeline = look.timeline;
    let on_battery = timeline
        .system
        .usage
        .iter()
        .find(|usage| usage.quantity == Quantity::OnBattery && usage.uid.is_none());
    let mut sums: BTreeMap<Uid, Holder> = BTreeMap::new();
    let mut whole: BTreeMap<Uid, f64> = BTreeMap::new();
    let mut times: BTreeMap<(Uid, NameId), f64> = BTreeMap::new();
    for usage in &timeline.system.usage {
        let Some(uid) = usage.uid else { continue };
        match (usage.quantity, usage.tag) {
            (Quantity::WakelockCount, Some(tag)) => {
                *times.entry((uid, tag)).or_default() += usage.value;
            }
            (Quantity::Wakelock, None) => *whole.entry(uid).or_default() += usage.value,
            (Quantity::Wakelock, Some(tag)) => {
                let holder = sums.entry(uid).or_default();
                holder.window = Some(usage.window);
                holder.tags.push(Held { tag, seconds: usage.value, times: 0.0 });
            }
            _ => {}
        }
        if usage.quantity == Quantity::Wakelock {
            let holder = sums.entry(uid).or_default();
            holder.window = Some(usage.window);
            holder.of = on_battery.map_or(usage.window.duration().seconds(), |it| it.value);
        }
    }
    for (uid, holder) in &mut sums {
        holder.is_counted = true;
        for held in &mut holder.tags {
            held.times = times.get(&(*uid, held.tag)).copied().unwrap_or(0.0);
            if TakenBy::from_tag(timeline.names.get(held.tag)).is_exempt() {
                holder.exempt += held.seconds;
            } else {
                holder.seconds += held.seconds;
            }
        }
        // All of them together cannot have been held for longer than any was.
        if let Some(whole) = whole.get(uid) {
            let counted = (whole - holder.exempt).max(0.0);
            holder.seconds =
                if holder.tags.is_empty() { *whole } else { holder.seconds.min(counted) };
        }
        holder.tags.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    }
    sums
}

fn by_history(look: &Look<'_>) -> BTreeMap<Uid, Holder> {
    let mut known: BTreeMap<Uid, Vec<held::Held>> = BTreeMap::new();
    for held in held::held(look, StateKind::Wakelock) {
        if let Some(uid) = held.uid {
            known.entry(uid).or_default().push(held);
        }
    }
    let of = look.window.duration().seconds();
    let holders = known.into_iter().map(|(uid, locks)| {
        let mut holder = Holder { of, window: Some(look.window), ..Holder::default() };
        let mut counted = Vec::new();
        let mut exempt = Vec::new();
        for lock in &locks {
            let name = lock.tag.map_or("", |tag| look.timeline.names.get(tag));
            let set = if TakenBy::from_tag(name).is_exempt() { &mut exempt } else { &mut counted };
            set.extend(lock.windows.iter().copied());
            if let Some(tag) = lock.tag {
                let seconds = windows::total(&lock.windows).seconds();
                holder.tags.push(Held { tag, seconds, times: lock.windows.len() as f64 });
            }
        }
        holder.seconds = windows::total(&windows::union(counted)).seconds();
        holder.exempt = windows::total(&windows::union(exempt)).seconds();
        holder.tags.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        let spans = locks.iter().flat_map(|lock| lock.windows.iter().map(|it| (*it, lock.tag)));
        holder.longest = spans.max_by_key(|(window, _)| window.duration());
        (uid, holder)
    });
    holders.collect()
}
