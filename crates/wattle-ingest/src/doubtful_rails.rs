//! Energy of power rails that no hardware can have drawn: a counter that is damaged, or counts something else.

use wattle_timeline::{Note, Rail, Severity, Timeline};

/// Steps between samples that a rail has at least before one of them is judged by the others.
const MANY: usize = 8;
/// A step is questioned if its power is this many times that of any other step of its rail …
const TIMES_OTHERS: f64 = 8.0;
/// … and at least this many watts: small rails are switched on and off.
const LEAST_WATTS: f64 = 0.3;
/// The power that no rail of a device that runs on a battery reaches, watts.
const MOST_WATTS: f64 = 60.0;

/// Warnings of rails with a step that cannot be right.
pub(crate) fn notes(timeline: &Timeline) -> Vec<Note> {
    let rails = &timeline.energy.rails;
    let names: Vec<&str> = rails
        .iter()
        .filter(|rail| has_impossible_step(rail))
        .map(|rail| timeline.names.get(rail.name))
        .collect();
    let Some(first) = names.first() else { return Vec::new() };
    let others = match names.len() {
        1 => String::new(),
        2 => " and 1 other rail".to_owned(),
        count => format!(" and {} other rails", count - 1),
    };
    let text = format!(
        "the energy of {first}{others} leaps between two samples, or falls: far more than at any other time, so samples may be damaged"
    );
    vec![Note::new(Severity::Error, "rail-leaps", text).times(names.len() as u64)]
}

/// Whether one step of the rail's energy is far from all others.
fn has_impossible_step(rail: &Rail) -> bool {
    let samples = || rail.time.iter().zip(rail.energy.iter());
    let (mut most, mut second, mut steps, mut falls) = (0.0_f64, 0.0_f64, 0, 0_usize);
    for ((start, before), (end, after)) in samples().zip(samples().skip(1)) {
        let seconds = (end.value().saturating_sub(start.value())) as f64 / 1e9;
        if seconds <= 0.0 {
            continue;
        }
        steps += 1;
        // Counters start again at 0 when the monitor does; one that falls a little does not count energy.
        falls += usize::from(after < before && *after > before / 2);
        let watts = after.saturating_sub(*before) as f64 / 1e6 / seconds;
        if watts > most {
            (second, most) = (most, watts);
        } else {
            second = second.max(watts);
        }
    }
    let is_spike = steps >= MANY && most > LEAST_WATTS && most > second * TIMES_OTHERS;
    is_spike || most > MOST_WATTS || falls > 0
}

#[cfg(test)]
mod tests {
    use wattle_timeline::TimelineBuilder;
    use wattle_units::BootNanos;

    use super::notes;

    /// The notes on a rail with these energies in microwatt-seconds, a sample a second.
    #[track_caller]
    fn check(energies: &[u64], is_doubtful: bool) {
        let mut builder = TimelineBuilder::default();
        let name = builder.names.intern("S2M_VDD_CPUCL2");
        let rail = builder.energy().rail(name, 0, None, 0);
        for (second, energy) in (1..).zip(energies) {
            builder.energy().rail_sample(rail, BootNanos::new(second * 1_000_000_000), *energy);
        }
        let notes = notes(&builder.finish());
        assert_eq!(!notes.is_empty(), is_doubtful, "{notes:?}");
        assert!(notes.iter().all(|note| note.text.contains("S2M_VDD_CPUCL2 leaps")));
    }

    #[test]
    fn leaps_are_told_from_work() {
        let even: Vec<u64> = (0..20).map(|nth| 5_000_000 + nth * 200_000).collect();
        check(&even, false);
        // Work of two seconds.
        let mut work = even.clone();
        work[10..].iter_mut().for_each(|energy| *energy += 3_000_000);
        work[11..].iter_mut().for_each(|energy| *energy += 2_000_000);
        check(&work, false);
        // One sample too high: a leap, and a fall behind it.
        let flipped = |at: usize, bit: u32| {
            let mut energies = even.clone();
            energies[at] ^= 1 << bit;
            energies
        };
        check(&flipped(7, 22), true);
        check(&flipped(19, 25), true);
        check(&flipped(7, 62), true);
        // The monitor began again; too few steps to judge one.
        check(&[9_000_000, 9_100_000, 0, 100_000, 200_000], false);
        check(&[0, 100, 5_000_000], false);
        check(&[0, 70_000_000], true);
    }
}
