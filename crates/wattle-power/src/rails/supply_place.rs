//! The place of each rail of a recording in the tree of supplies: only roots are counted.

use wattle_timeline::Timeline;

use super::rail_counter::Interval;
use super::rail_names::{RailName, RailNames, Role};
use super::supply_tree::{SupplyTree, feeds_linear, is_linear, regulator};

/// One rail as the tree sees it.
#[derive(Clone, Copy)]
pub(super) struct PlacedRail<'a> {
    pub(super) name: &'a str,
    pub(super) entry: Option<&'a RailName>,
    /// Whether it counted between any two samples.
    pub(super) is_metered: bool,
}

/// The place of a rail among the metered ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SupplyPlace {
    /// Nothing that is metered feeds it.
    Root,
    /// A linear regulator that a metered converter may feed: the device's tree is not known. Counted.
    Doubtful,
    /// The rail of this index feeds it: its energy is a part of that one's.
    Split(usize),
    /// All that the battery gives, beside rails of its parts.
    Whole,
}

impl SupplyPlace {
    /// Whether its energy is that of other rails.
    pub(super) fn is_listed_only(self) -> bool {
        matches!(self, Self::Split(_) | Self::Whole)
    }
}

/// The places of all rails of a recording, in their order.
pub(super) fn places(
    timeline: &Timeline,
    names: &RailNames,
    rails: &[PlacedRail<'_>],
) -> Vec<SupplyPlace> {
    let tree = names.families.iter().find(|tree| tree.is_for(timeline));
    (0..rails.len()).map(|index| place(index, rails, tree)).collect()
}

fn place(index: usize, rails: &[PlacedRail<'_>], tree: Option<&SupplyTree>) -> SupplyPlace {
    let Some(rail) = rails.get(index) else { return SupplyPlace::Root };
    let metered = |is: &dyn Fn(&PlacedRail<'_>) -> bool| {
        let mut others = rails.iter().enumerate().filter(|(other, _)| *other != index);
        others.find(|(_, other)| other.is_metered && is(other)).map(|(other, _)| other)
    };
    if rail.entry.and_then(|known| known.role) == Some(Role::Whole) {
        let has_parts = metered(&|_| true).is_some();
        return if has_parts { SupplyPlace::Whole } else { SupplyPlace::Root };
    }
    if let Some(feeder) = rail.entry.and_then(|known| known.behind.as_deref()) {
        let is_feeder =
            |other: &PlacedRail<'_>| other.entry.is_some_and(|known| known.label == feeder);
        if let Some(feeder) = metered(&is_feeder) {
            return SupplyPlace::Split(feeder);
        }
    }
    let Some(own) = regulator(rail.name) else { return SupplyPlace::Root };
    if let Some(tree) = tree.filter(|tree| tree.has(own)) {
        let mut feeders = tree.feeders(own);
        let found =
            feeders.find_map(|feeder| metered(&|other| regulator(other.name) == Some(feeder)));
        return found.map_or(SupplyPlace::Root, SupplyPlace::Split);
    }
    let may_feed = |other: &PlacedRail<'_>| {
        let apart = |tree: &SupplyTree| {
            regulator(other.name).is_some_and(|feeder| tree.is_apart(own, feeder))
        };
        feeds_linear(other.name) && !tree.is_some_and(apart)
    };
    let may_be_fed = is_linear(own) && metered(&may_feed).is_some();
    if may_be_fed { SupplyPlace::Doubtful } else { SupplyPlace::Root }
}

/// The energy of a feeder between its own samples, divided among the rails behind it and the rest, which is the last part. The sum
/// of all parts is the feeder's energy, exactly: rails behind it that counted more have their shares of it.
pub(super) fn divide(feeder: &[Interval], behind: &[&[Interval]]) -> Vec<Vec<Interval>> {
    let mut parts = vec![Vec::with_capacity(feeder.len()); behind.len() + 1];
    let mut firsts = vec![0; behind.len()];
    for interval in feeder {
        let counted: Vec<f64> = behind
            .iter()
            .zip(&mut firsts)
            .map(|(behind, first)| energy_within(behind, first, interval))
            .collect();
        let sum: f64 = counted.iter().sum();
        let scale = if sum > interval.energy as f64 { interval.energy as f64 / sum } else { 1.0 };
        let mut rest = interval.energy;
        for (part, counted) in parts.iter_mut().zip(counted) {
            let energy = ((counted * scale).round() as u64).min(rest);
            rest -= energy;
            part.push(Interval { energy, ..*interval });
        }
        if let Some(last) = parts.last_mut() {
            last.push(Interval { energy: rest, ..*interval });
        }
    }
    parts
}

/// Energy of a rail inside an interval of another, in microwatt-seconds, its power between two samples taken as even. `first` is
/// the first of its intervals that may reach into the next one.
fn energy_within(of: &[Interval], first: &mut usize, interval: &Interval) -> f64 {
    let mut sum = 0.0;
    while let Some(next) = of.get(*first) {
        if next.window.end > interval.window.start {
            break;
        }
        *first += 1;
    }
    for own in of.iter().skip(*first).take_while(|own| own.window.start < interval.window.end) {
        let common = own.window.intersect(interval.window).duration().seconds();
        sum += own.energy as f64 * common / own.window.duration().seconds();
    }
    sum
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Window;
    use wattle_units::BootNanos;

    use super::*;

    fn timeline(codename: &str) -> Timeline {
        let mut timeline = Timeline::default();
        timeline.device.codename = Some(codename.to_owned());
        timeline
    }

    #[track_caller]
    fn check(codename: &str, rails: &[&str], expected: &[SupplyPlace]) {
        let names = RailNames::built_in();
        let rails: Vec<PlacedRail<'_>> = rails
            .iter()
            .map(|name| PlacedRail { name, entry: names.find(name), is_metered: true })
            .collect();
        assert_eq!(places(&timeline(codename), names, &rails), expected);
    }

    #[test]
    fn only_roots_of_the_supply_tree_are_counted() {
        use SupplyPlace::{Doubtful, Root, Split, Whole};
        // Nothing that feeds them is metered.
        check("oriole", &["L2S_VDD_AOC_RET", "S9S_VDD_AOC", "L15M_VDD_SLC_M"], &[Root; 3]);
        // Fed from the other chip: LDO 15 of the main PMIC by buck 3 of the sub-PMIC.
        check(
            "oriole",
            &["S3S_LLDO1", "L15M_VDD_SLC_M", "S8M_LLDO2", "L2S_VDD_AOC_RET", "L8S_UFS_VCCQ"],
            &[Root, Split(0), Root, Split(2), Root],
        );
        // No tree of this family is known.
        check("lynx", &["S6M_LLDO1", "L7S_SENSORS", "S1M_VDD_MIF"], &[Root, Doubtful, Root]);
        check("lynx", &["S1M_VDD_MIF", "L7S_SENSORS"], &[Root; 2]);
        check("shiba", &["L22M_DISP", "S6M_LLDO1", "VSYS_PWR_DISPLAY"], &[Split(1), Root, Root]);
        // Measured not to be behind these two; another converter may feed it.
        check("shiba", &["L2S_PLL_MIPI_UFS", "S6M_LLDO1", "S8M_LLDO2"], &[Root; 3]);
        check("shiba", &["L2S_PLL_MIPI_UFS", "S3S_LLDO1"], &[Doubtful, Root]);
        check("blazer", &["VSYS_PWR_VBATT", "S2M_VDD_CPU2"], &[Whole, Root]);
        check("blazer", &["VSYS_PWR_VBATT"], &[Root]);
    }

    #[test]
    fn a_rail_without_intervals_feeds_nothing() {
        let names = RailNames::built_in();
        let rail = |name, is_metered| PlacedRail { name, entry: names.find(name), is_metered };
        let rails = [rail("S8M_LLDO2", false), rail("L2S_VDD_AOC_RET", true)];
        assert_eq!(places(&timeline("raven"), names, &rails), [SupplyPlace::Root; 2]);
    }

    #[test]
    fn parts_of_a_feeder_add_up_to_it() {
        let interval = |start: i64, end: i64, energy| Interval {
            window: Window::new(BootNanos::new(start), BootNanos::new(end)),
            energy,
            cut: false,
        };
        let feeder = [interval(0, 10, 100), interval(10, 20, 30), interval(25, 35, 50)];
        // 20 of it before the feeder's second interval, 40 in it; nothing later.
        let first = [interval(-10, 10, 40), interval(10, 20, 40)];
        let second = [interval(0, 20, 40)];
        let energies: Vec<Vec<u64>> = divide(&feeder, &[&first, &second])
            .iter()
            .map(|part| part.iter().map(|interval| interval.energy).collect())
            .collect();
        // The second interval has 40 and 20 behind a feeder of 30: two thirds and one third of it.
        assert_eq!(energies, [vec![20, 20, 0], vec![20, 10, 0], vec![60, 0, 50]]);
    }
}
