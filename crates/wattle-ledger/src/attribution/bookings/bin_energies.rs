//! The energy of a track in the bins of a time axis.

use wattle_power::PowerTrack;
use wattle_timeline::Window;
use wattle_units::CompensatedSum;

use crate::PowerBins;
use crate::attribution::walk;

/// A track's energy in each bin.
pub(super) fn energies(bins: PowerBins, track: &PowerTrack, window: Window) -> Vec<CompensatedSum> {
    let mut energies = vec![CompensatedSum::default(); bins.count as usize];
    let windows = (0..bins.count).map(|index| (bins.bin(index, window), index));
    let segments = track.segments().skip(track.segment_at(window.start));
    let powers = segments.map(|segment| (segment.window, segment.power));
    walk::both(powers, windows, |piece, power, index| {
        if let Some(energy) = energies.get_mut(index as usize) {
            energy.add((power * piece.duration()).value());
        }
    });
    energies
}
