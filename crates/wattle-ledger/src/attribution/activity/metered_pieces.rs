//! The parts of a track that a rail scaled, period by period.

use wattle_power::{
    ErrorModel, PowerSegment, PowerTrack, RailPeriod, RailPeriods, SourceId, WindowSet,
};
use wattle_timeline::Window;
use wattle_units::Watts;

use crate::attribution::walk;

/// The periods of all rails, by the meter that sources name, and the tracks that they scaled.
pub(crate) struct MeteredRails<'a> {
    rails: &'a [RailPeriods],
    /// The tracks of the estimate.
    pub(crate) tracks: &'a [PowerTrack],
    /// By track: the rail that scaled it, which is the first that one of its segments names.
    pub(crate) of_track: Vec<Option<usize>>,
    /// By source: the rail whose meter fixes it.
    of_source: Vec<Option<usize>>,
    /// When any core executed.
    awake: WindowSet,
}

/// A part of a track inside of one period.
#[derive(Clone, Copy)]
pub(crate) struct MeteredPiece {
    /// The number of the period among those of its rail.
    pub(crate) period: usize,
    /// Its power by the model alone.
    pub(crate) modelled: Watts,
}

impl<'a> MeteredRails<'a> {
    /// Of these rails, by the meters of all sources.
    pub(crate) fn new(
        rails: &'a [RailPeriods],
        tracks: &'a [PowerTrack],
        errors: &ErrorModel,
        awake: WindowSet,
    ) -> Self {
        let of_source = errors.sources.iter().map(|source| {
            let meter = source.meter?;
            rails.iter().position(|rail| rail.meter == meter)
        });
        let of_source: Vec<Option<usize>> = of_source.collect();
        let mut metered = Self { rails, tracks, of_track: Vec::new(), of_source, awake };
        let of_track = |track: &PowerTrack| {
            let mut segments = track.segments().filter(|_| !rails.is_empty());
            segments.find_map(|segment| metered.of_segment(segment))
        };
        metered.of_track = tracks.iter().map(of_track).collect();
        metered
    }

    fn of_segment(&self, segment: PowerSegment) -> Option<usize> {
        self.of_source.get(usize::from(segment.source.0)).copied().flatten()
    }

    /// The number of rails.
    pub(crate) fn count(&self) -> usize {
        self.rails.len()
    }

    /// The error source of what a rail itself counted.
    pub(crate) fn source(&self, rail: usize) -> Option<SourceId> {
        self.rails.get(rail).map(|rail| rail.source)
    }

    /// The numbers of the tracks that a rail scaled.
    pub(crate) fn tracks_of(&self, rail: usize) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.of_track.iter().enumerate();
        numbered.filter(move |(_, of)| **of == Some(rail)).map(|(at, _)| at)
    }

    /// The periods of a rail.
    pub(crate) fn periods(&self, rail: usize) -> &'a [RailPeriod] {
        self.rails.get(rail).map_or(&[], |rail| &rail.periods)
    }

    /// The stretches in which any core executed, by period of a rail.
    pub(crate) fn each_awake(&self, rail: usize, mut visit: impl FnMut(Window, usize)) {
        let periods = self.periods(rail).iter().enumerate();
        let periods = periods.map(|(at, period)| (period.window, at));
        let awake = self.awake.iter().map(|window| (window, ()));
        walk::both(periods, awake, |window, period, ()| visit(window, period));
    }

    /// All of the track, cut where periods begin and end; what no period of this rail fixes has no piece.
    pub(crate) fn pieces<'t>(
        &'t self,
        rail: usize,
        track: &'t PowerTrack,
    ) -> impl Iterator<Item = (Window, (PowerSegment, Option<MeteredPiece>))> + 't {
        let periods = self.periods(rail);
        let mut next = periods.partition_point(|it| it.window.end <= track.window().start);
        let mut segments = track.segments();
        let mut rest: Option<PowerSegment> = None;
        std::iter::from_fn(move || {
            let segment = rest.take().or_else(|| segments.next())?;
            let Window { start, end } = segment.window;
            while periods.get(next).is_some_and(|it| it.window.end <= start) {
                next += 1;
            }
            let period = periods.get(next);
            let inside = period.filter(|it| it.window.start <= start);
            let until = inside.map(|it| it.window.end).or(period.map(|it| it.window.start));
            let until = until.map_or(end, |until| until.min(end));
            if until < end {
                rest = Some(PowerSegment { window: Window { start: until, end }, ..segment });
            }
            let fixed = inside.filter(|_| self.of_segment(segment) == Some(rail));
            let piece = fixed.map(|period| {
                let modelled = period.modelled.value() / period.measured.value().max(1e-12);
                MeteredPiece { period: next, modelled: segment.power * modelled }
            });
            Some((Window { start, end: until }, (segment, piece)))
        })
    }
}
