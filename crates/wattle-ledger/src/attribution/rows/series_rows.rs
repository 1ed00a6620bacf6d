//! Mean power of components over time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use wattle_power::{Component, PowerTrack};
use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Joules};

use crate::attribution::bookings::TrackBookings;
use crate::{PowerBins, PowerSeries};

/// Mean power by component from the binned energies of its tracks.
pub(crate) fn by_component(
    bins: PowerBins,
    window: Window,
    tracks: &[PowerTrack],
    booked: &[TrackBookings],
) -> Vec<PowerSeries> {
    let mut sums: BTreeMap<&Component, Vec<CompensatedSum>> = BTreeMap::new();
    for (track, booked) in tracks.iter().zip(booked) {
        match sums.entry(&track.component) {
            Entry::Vacant(new) => {
                new.insert(booked.binned.clone());
            }
            Entry::Occupied(mut known) => {
                for (sum, more) in known.get_mut().iter_mut().zip(&booked.binned) {
                    sum.merge(*more);
                }
            }
        }
    }
    sums.into_iter()
        .map(|(component, sums)| PowerSeries {
            component: component.clone(),
            power: (0..)
                .zip(sums)
                .map(|(index, sum)| Joules::new(sum.value()) / bins.bin(index, window).duration())
                .collect(),
        })
        .collect()
}
