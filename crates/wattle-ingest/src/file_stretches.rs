//! Stretches of time that input files cover: those of one recording touch.

use wattle_import::RunFacts;

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const YEAR_HOURS: i64 = 365 * 24;
/// Files of stretches of time with more between them are of two recordings: those of one run overlap.
const LONGEST_GAP: i64 = 2 * SECOND;
/// The same where of one an instant alone is known, perhaps by the computer's clock, or one is a log, which may say nothing for minutes.
const LONGEST_UNSURE_GAP: i64 = 10 * MINUTE;

/// The first and the last time of a file.
type Span = (i64, i64);

/// The place of a file in time.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The stretch that it makes with the files that it touches.
    stretch: Span,
    /// It is an instant or a log: it makes no stretch with others.
    is_unsure: bool,
}

/// The places of files, by two clocks; `None` for those that have no time of one.
#[derive(Debug)]
pub(crate) struct Stretches {
    /// By device time, which few formats state.
    by_wall: Vec<Option<Place>>,
    /// By the recording's clock: where their events would stand beside those of others.
    by_clock: Vec<Option<Place>>,
}

impl Stretches {
    pub fn new(files: &[RunFacts]) -> Self {
        let placed =
            |file: &RunFacts| file.placed.map(|placed| (placed.start.value(), placed.end.value()));
        Self { by_wall: places(files, |file| file.wall), by_clock: places(files, placed) }
    }

    /// The distance of two files in time, in words; `None` if they are not, or if nobody knows.
    pub fn apart(&self, one: usize, other: usize) -> Option<String> {
        let both = |places: &[Option<Place>]| {
            Some((places.get(one).copied().flatten()?, places.get(other).copied().flatten()?))
        };
        if let Some((one, other)) = both(&self.by_wall) {
            return Some(format!("are {} apart in time", gap(one, other)?));
        }
        let (one, other) = both(&self.by_clock)?;
        Some(format!("are {} apart in time, by their own clocks", gap(one, other)?))
    }
}

/// The time between two files, if it is more than those of one recording have.
fn gap(one: Place, other: Place) -> Option<String> {
    let longest = if one.is_unsure || other.is_unsure { LONGEST_UNSURE_GAP } else { LONGEST_GAP };
    let (one, other) = (one.stretch, other.stretch);
    let gap = one.0.max(other.0).saturating_sub(one.1.min(other.1));
    (gap > longest).then(|| duration(gap))
}

/// The places of files by one of their clocks.
fn places(files: &[RunFacts], of: impl Fn(&RunFacts) -> Option<Span>) -> Vec<Option<Place>> {
    let place = |file| {
        let stretch: Span = of(file)?;
        Some(Place { stretch, is_unsure: file.is_sparse || stretch.0 == stretch.1 })
    };
    let mut places: Vec<Option<Place>> = files.iter().map(place).collect();
    let is_sure = |place: &Place| !place.is_unsure;
    let mut sure: Vec<(Span, usize)> = places
        .iter()
        .enumerate()
        .filter_map(|(at, place)| Some((place.filter(is_sure)?.stretch, at)))
        .collect();
    sure.sort_unstable();
    let mut left = sure.as_slice();
    while let [((start, first_end), _), ..] = *left {
        let mut end = first_end;
        let touches = |(span, _): &&(Span, usize)| {
            let is_near = span.0 <= end.saturating_add(LONGEST_GAP);
            end = if is_near { end.max(span.1) } else { end };
            is_near
        };
        let count = left.iter().take_while(touches).count();
        let (together, after) = left.split_at(count.max(1));
        for (_, at) in together {
            if let Some(Some(place)) = places.get_mut(*at) {
                place.stretch = (start, end);
            }
        }
        left = after;
    }
    places
}

/// In the two largest units: years, `7 d 4 h` below two of them, `43 h 11 min` below two days; seconds below two minutes, milliseconds below one second.
pub(crate) fn duration(nanos: i64) -> String {
    let minutes = nanos / MINUTE;
    match (minutes / 60, minutes % 60) {
        (0, ..2) if nanos < SECOND => format!("{:.1} ms", nanos as f64 / 1e6),
        (0, ..2) => format!("{} s", nanos / SECOND),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) if hours < 48 => format!("{hours} h {minutes} min"),
        (hours, _) if hours < 2 * YEAR_HOURS => format!("{} d {} h", hours / 24, hours % 24),
        (hours, _) => format!("{} years", hours / YEAR_HOURS),
    }
}
