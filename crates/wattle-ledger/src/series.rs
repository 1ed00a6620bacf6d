//! Power over time, coarse enough for a chart.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};
use wattle_power::{Component, PowerTrack};
use wattle_timeline::Window;
use wattle_units::{BootNanos, CompensatedSum, Joules, Nanos, Watts};

use crate::booker::Booked;
use crate::walk;

/// The time axis of all series of a ledger: equal bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerBins {
    /// Start of the first bin.
    pub start: BootNanos,
    /// Width of a bin.
    pub width: Nanos,
    /// Number of bins.
    pub count: u32,
}

/// Mean power of one component in each bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerSeries {
    /// Which component.
    pub component: Component,
    /// One mean power a bin.
    pub power: Vec<Watts>,
}

impl PowerBins {
    /// At most `count` bins that cover the window.
    pub(crate) fn over(window: Window, count: u32) -> Self {
        let length = window.duration().value().unsigned_abs();
        let width = length.div_ceil(u64::from(count.max(1))).max(1);
        let used = length.div_ceil(width).min(u64::from(count));
        Self { start: window.start, width: Nanos::new(width as i64), count: used as u32 }
    }

    /// The stretch of time of one bin, cut at the end of the window.
    pub(crate) fn bin(self, index: u32, window: Window) -> Window {
        let offset = self.width.value().saturating_mul(i64::from(index));
        let start = self.start + Nanos::new(offset);
        Window::new(start, start + self.width).intersect(window)
    }

    /// A track's energy in each bin.
    pub(crate) fn energies(self, track: &PowerTrack, window: Window) -> Vec<CompensatedSum> {
        let mut energies = vec![CompensatedSum::default(); self.count as usize];
        let bins = (0..self.count).map(|index| (self.bin(index, window), index));
        let segments = track.segments().skip(track.segment_at(window.start));
        let powers = segments.map(|segment| (segment.window, segment.power));
        walk::both(powers, bins, |piece, power, index| {
            if let Some(energy) = energies.get_mut(index as usize) {
                energy.add((power * piece.duration()).value());
            }
        });
        energies
    }
}

/// Mean power by component from the binned energies of its tracks.
pub(crate) fn by_component(
    bins: PowerBins,
    window: Window,
    tracks: &[PowerTrack],
    booked: &[Booked],
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
