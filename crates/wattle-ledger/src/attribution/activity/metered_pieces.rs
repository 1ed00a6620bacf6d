//! The parts of a track that a rail scaled, period by period.

use wattle_power::{PowerSegment, PowerTrack, RailPeriod, RailPeriods};
use wattle_timeline::Window;

/// The periods of all rails, by the meter that sources name.
pub(crate) struct MeteredRails<'a> {
    rails: &'a [RailPeriods],
    /// By source: the rail whose meter fixes it.
    of_source: Vec<Option<usize>>,
}

/// A part of a track inside of one period.
#[derive(Clone, Copy)]
pub(crate) struct MeteredPiece {
    /// The number of the period among those of its rail.
    pub(crate) period: usize,
    /// The segment that it is a part of.
    pub(crate) segment: PowerSegment,
}

impl<'a> MeteredRails<'a> {
    /// Of these rails, by the meters of all sources.
    pub(crate) fn new(rails: &'a [RailPeriods], errors: &wattle_power::ErrorModel) -> Self {
        let of_source = errors.sources.iter().map(|source| {
            let meter = source.meter?;
            rails.iter().position(|rail| rail.meter == meter)
        });
        Self { rails, of_source: of_source.collect() }
    }

    /// The rail that scaled a track, if any did: the first that one of its segments names.
    pub(crate) fn of_track(&self, track: &PowerTrack) -> Option<usize> {
        track.segments().find_map(|segment| self.of_segment(segment))
    }

    fn of_segment(&self, segment: PowerSegment) -> Option<usize> {
        self.of_source.get(usize::from(segment.source.0)).copied().flatten()
    }

    /// The periods of a rail.
    pub(crate) fn periods(&self, rail: usize) -> &'a [RailPeriod] {
        self.rails.get(rail).map_or(&[], |rail| &rail.periods)
    }

    /// All of the track, cut where periods begin and end; what no period of this rail fixes has no piece.
    pub(crate) fn pieces<'t>(
        &'t self,
        rail: usize,
        track: &'t PowerTrack,
    ) -> impl Iterator<Item = (Window, (PowerSegment, Option<MeteredPiece>))> + 't {
        let periods = self.periods(rail);
        let mut next = periods.partition_point(|it| it.window.end <= track.window().start);
        track.segments().flat_map(move |segment| {
            let is_fixed = self.of_segment(segment) == Some(rail);
            let mut cuts = Vec::new();
            let mut now = segment.window.start;
            while now < segment.window.end {
                while periods.get(next).is_some_and(|it| it.window.end <= now) {
                    next += 1;
                }
                let inside = periods.get(next).filter(|it| it.window.start <= now);
                let until = match (inside, periods.get(next)) {
                    (Some(period), _) => period.window.end,
                    (None, Some(later)) => later.window.start,
                    (None, None) => segment.window.end,
                };
                let end = until.min(segment.window.end);
                let piece =
                    inside.filter(|_| is_fixed).map(|_| MeteredPiece { period: next, segment });
                cuts.push((Window { start: now, end }, (segment, piece)));
                now = end;
            }
            cuts
        })
    }
}
