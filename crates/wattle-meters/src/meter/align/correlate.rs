//! Position of one signal on another: normalised correlation, from coarse steps to fine ones.
//!
//! Both signals are averaged over steps, and what changes slower than a few seconds is taken off: a screen or a charger moves
//! the power for long, and a long bump fits everywhere. At every distance the correlation coefficient of the part that
//! overlaps is taken, weighed by how much overlaps. The best distance counts if it stands out: above what the best of so many
//! distances reaches by chance (Fisher's transformation, over as many values as are independent), and with no other one nearly
//! as good.
//!
//! ```text
//!  reference         ▁▁█▁▁▁██▁▁█▁▁▁▁█▁▁▁            activity of the CPUs, in boot time
//!  meter        ▁█▁▁▁▁▁█▁▁▁██▁▁█▁▁▁▁█▁▁▁▁▁█▁▁▁▁     power, moved by one of the distances
//!                    └─── overlap ────┘
//!
//!  score ▲                    ╭╮  best
//!        │ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─││─ ─ ─ ─ ─ ─          another distance above this makes it ambiguous
//!        │                    ││
//!        │    ╭╮      ╭╮      ││       ╭╮            what other distances reach by chance
//!        └────╯╰──────╯╰──────╯╰───────╯╰────► distance
//! ```
//!
//! The first pass looks at all distances, in steps so long that its work is bounded. Later passes look around the best one only, in
//! steps a quarter as long each, and a parabola through the last three values gives the place between two steps.

use super::pieces::{Pieces, without_slow};

/// Multiplications of the first pass: what bounds its time, and its step.
const WORK: f64 = 3e7;
/// The shortest steps of the first and the last pass, nanoseconds.
const COARSE: i64 = 5_000_000;
const FINE: i64 = 1_000_000;
/// Steps of the longer signal in the first pass.
const LONGEST_PASS: i64 = 4_000_000;
/// Times, and lengths of signals, that are believed; nanoseconds.
const LATEST: u64 = 3_000_000_000_000_000_000;
const LONGEST: i64 = 366 * 86_400_000_000_000;
/// Steps of the last pass.
const MOST_STEPS: i64 = 100_000;
/// Changes slower than this are taken off, nanoseconds.
const SLOW: i64 = 2_000_000_000;
/// Distances on each side of the best that the last pass looks at.
const AROUND: i64 = 40;
/// The least share of the shorter signal that has to overlap.
const OVERLAP: f64 = 0.5;
/// Signals shorter than this have too little in them, nanoseconds.
const SHORTEST: i64 = 200_000_000;
/// The least correlation that is believed.
const LEAST: f64 = 0.2;
/// Another distance with this share of the best correlation makes it ambiguous.
const AMBIGUOUS: f64 = 0.8;
/// Two-sided 90 % of a normal distribution.
const NORMAL: f64 = 1.645;

/// Two signals that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    /// In the recording's clock.
    pub reference: &'a Pieces,
    /// In the meter's.
    pub meter: &'a Pieces,
    /// Whether slow changes say nothing. A pattern that was made to be found is taken as it is.
    pub drops_slow: bool,
}

/// Position at which the signals fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Peak {
    /// To be added to the meter's time, nanoseconds.
    pub offset: i64,
    /// The correlation there.
    pub correlation: f64,
    /// The best correlation anywhere else.
    pub next: f64,
    /// Possible error of the offset: the distance at which the correlation has fallen by its own uncertainty.
    pub residual: i64,
}

/// Correlations at distances of a step.
struct Curve {
    step: i64,
    /// Offset of the first; each next one is a step less.
    first: i64,
    /// Steps of the shorter signal.
    compared: i64,
    /// Correlation, and share of the pair that overlapped.
    values: Vec<(f64, f64)>,
}

impl Curve {
    fn offset(&self, index: usize) -> i64 {
        self.first - self.step * index as i64
    }

    /// The correlation by the root of its overlap. The uncertainty of a correlation goes with that root: what overlaps by little
    /// correlates well by chance.
    fn score(&self, index: usize) -> f64 {
        self.values.get(index).map_or(f64::NAN, |(r, share)| r * share.sqrt())
    }

    fn best(&self) -> Option<usize> {
        let known = (0..self.values.len()).filter(|index| self.score(*index).is_finite());
        known.max_by(|a, b| self.score(*a).total_cmp(&self.score(*b)))
    }

    /// Returns the distance from an index over which the curve stays above a value, in steps; `None` if up to its end.
    fn half_width(&self, best: usize, least: f64) -> Option<f64> {
        let falls = |index: &usize| self.values.get(*index).is_some_and(|(r, _)| *r < least);
        let after = (best..self.values.len()).find(falls)? - best;
        let before = best - (0..=best).rev().find(falls)?;
        Some(before.max(after) as f64)
    }
}

/// Finds the offset of the meter's clock.
///
/// # Errors
/// The reason why no result can be trusted, in words.
pub(crate) fn find(pair: Pair<'_>, within: Option<(i64, i64)>) -> Result<Peak, String> {
    let (reference, meter) = spans(pair)?;
    let (long, short) =
        (length(reference).max(length(meter)), length(reference).min(length(meter)));
    // A pass has as many distances as the longer signal has steps, with a product for each step of the reference: its work goes
    // with the square of the number of steps. The shorter signal has 64 of them at least.
    let by_work = (long as f64 * length(reference) as f64 / WORK).sqrt() as i64;
    let shortest = if pair.drops_slow { COARSE } else { FINE / 2 };
    let step = by_work.max(shortest).min((short / 64).max(FINE / 2)).max(long / LONGEST_PASS);
    let coarse = first_pass(pair, step, within)?;
    let best = coarse.best().ok_or("they have nothing in common at any distance")?;
    let next = trust(&coarse, best)?;
    let (correlation, offset, residual) = refine(pair, coarse.offset(best), step)
        .ok_or("they have nothing in common at any distance")?;
    Ok(Peak { offset, correlation, next, residual })
}

/// From and to, nanoseconds.
type Span = (i64, i64);

fn length((from, to): Span) -> i64 {
    to.saturating_sub(from)
}

fn spans(pair: Pair<'_>) -> Result<(Span, Span), String> {
    let short = |what: &str| {
        format!("{what} is shorter than {} ms: too short to be found again", SHORTEST / 1_000_000)
    };
    let long_enough = |span: &Span| {
        let is_sane = span.0.unsigned_abs() <= LATEST && length(*span) <= LONGEST;
        is_sane && length(*span) >= SHORTEST
    };
    let reference =
        pair.reference.span().filter(long_enough).ok_or_else(|| short("the recording"))?;
    let meter = pair.meter.span().filter(long_enough).ok_or_else(|| short("the meter's file"))?;
    Ok((reference, meter))
}

/// The signal in steps, as it is compared.
fn steps(pair: Pair<'_>, of: &Pieces, start: i64, step: i64, count: i64) -> Vec<f64> {
    let means = of.means(start, step, usize::try_from(count).unwrap_or(0));
    if pair.drops_slow {
        without_slow(&means, usize::try_from(SLOW / step).unwrap_or(0).max(32))
    } else {
        means
    }
}

fn varies(values: &[f64]) -> bool {
    let known = || values.iter().filter(|value| value.is_finite());
    let largest = known().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let Some(first) = known().next() else { return false };
    known().any(|value| (value - first).abs() > largest * 1e-6)
}

fn first_pass(pair: Pair<'_>, step: i64, within: Option<(i64, i64)>) -> Result<Curve, String> {
    let (reference, meter) = spans(pair)?;
    let (many, all) = (length(reference) / step, length(meter) / step);
    let known = steps(pair, pair.reference, reference.0, step, many);
    let measured = steps(pair, pair.meter, meter.0, step, all);
    if !varies(&known) {
        return Err("what the recording says does not change, so nothing in it can be found again"
            .to_owned());
    }
    if !varies(&measured) {
        return Err(
            "the measured power does not change, so nothing in it can be found again".to_owned()
        );
    }
    // A signal that outlasts the file before or behind is compared by what there is.
    let least = ((many.min(all)) as f64 * OVERLAP).ceil() as i64;
    let mut lags = (least - many, all - least);
    let zero = reference.0 - meter.0;
    if let Some((low, high)) = within {
        lags.0 = lags.0.max((zero - high).div_euclid(step));
        lags.1 = lags.1.min((zero - low).div_euclid(step) + 1);
    }
    let most = many.min(all).max(1) as f64;
    let values = (lags.0..=lags.1).map(|lag| {
        let (from, to) = (0.max(-lag), many.min(all - lag));
        let r = pearson(part(&known, from, to), part(&measured, from + lag, to + lag)).0;
        (r, (to - from).max(0) as f64 / most)
    });
    Ok(Curve {
        step,
        first: zero - lags.0 * step,
        compared: many.min(all),
        values: values.collect(),
    })
}

fn part(values: &[f64], from: i64, to: i64) -> &[f64] {
    let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    range.and_then(|(from, to)| values.get(from..to)).unwrap_or_default()
}

/// The correlation coefficient of what is known on both sides, and how many values that is.
fn pearson(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut n, mut sums) = (0.0, [0.0; 5]);
    for (x, y) in a.iter().zip(b) {
        let product = x * y;
        if product.is_finite() {
            n += 1.0;
            for (sum, term) in sums.iter_mut().zip([*x, *y, x * x, y * y, product]) {
                *sum += term;
            }
        }
    }
    let [x, y, xx, yy, xy] = sums;
    let (of_x, of_y) = (n * xx - x * x, n * yy - y * y);
    // Both terms of a variance are nearly equal for a constant signal; what is left between them is rounding.
    let is_flat = of_x <= n * xx * 1e-12 || of_y <= n * yy * 1e-12;
    let r = if n < 8.0 || is_flat { f64::NAN } else { (n * xy - x * y) / (of_x * of_y).sqrt() };
    (r, n)
}

/// Whether the best stands out; the best correlation elsewhere.
fn trust(curve: &Curve, best: usize) -> Result<f64, String> {
    let peak = curve.score(best);
    let is_low =
        |index: &usize| curve.score(*index) < peak / 2.0 || !curve.score(*index).is_finite();
    let end = (best..curve.values.len()).find(is_low).unwrap_or(curve.values.len());
    let begin = (0..=best).rev().find(is_low).map_or(0, |low| low + 1);
    let others = (0..begin).chain(end..curve.values.len());
    let others: Vec<(usize, f64)> = others
        .map(|index| (index, curve.score(index)))
        .filter(|(_, score)| score.is_finite())
        .collect();
    let next = others.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    if peak < LEAST {
        return Err(format!("the best correlation is {peak:.2}, and at least {LEAST} is believed"));
    }
    if let Some((index, score)) = next
        && score > AMBIGUOUS * peak
    {
        let seconds = |index| curve.offset(index) as f64 / 1e9;
        return Err(format!(
            "ambiguous: the correlation is {peak:.2} at an offset of {:.3} s and {score:.2} at {:.3} s",
            seconds(best),
            seconds(index)
        ));
    }
    // Values nearer to each other than the width of the peak say the same twice, of either signal and of distances.
    let width = (end - begin).max(1) as f64;
    // Fisher: the inverse hyperbolic tangent of a correlation of n values has a standard deviation of 1 / √(n − 3).
    let share = curve.values.get(best).map_or(0.0, |(_, share)| *share);
    let independent = (curve.compared as f64 * share / width - 3.0).max(1.0);
    // Of so many independent tries the largest is √(2 ln tries) standard deviations on average.
    let tried = (curve.values.len() as f64 / width).max(2.0);
    let by_chance = (2.0 * tried.ln()).sqrt() + NORMAL;
    // That of 1 is infinite.
    if peak.min(0.999).atanh() * independent.sqrt() < by_chance {
        return Err(format!(
            "the best correlation, {peak:.2}, is no more than one of {tried:.0} tries reaches by chance in a run so short"
        ));
    }
    Ok(next.map_or(0.0, |(_, score)| score))
}

/// Correlations around an offset.
fn around(pair: Pair<'_>, center: i64, step: i64, half: i64) -> Option<Curve> {
    let (reference, _) = spans(pair).ok()?;
    let count = length(reference) / step;
    let known = steps(pair, pair.reference, reference.0, step, count);
    let start = reference.0 - center - half * step;
    let measured = steps(pair, pair.meter, start, step, count + 2 * half);
    let lags = usize::try_from(2 * half).ok()?;
    let values = (0..=lags).map(|lag| {
        let (r, n) = pearson(&known, measured.get(lag..).unwrap_or_default());
        (r, n / count.max(1) as f64)
    });
    Some(Curve { step, first: center + half * step, compared: count, values: values.collect() })
}

/// Correlation, offset and residual, by ever finer steps.
fn refine(pair: Pair<'_>, from: i64, coarse: i64) -> Option<(f64, i64, i64)> {
    let (reference, meter) = spans(pair).ok()?;
    let samples = pair.meter.time.len().max(2) as i64;
    let finest = if pair.drops_slow { FINE } else { FINE / 2 };
    let target = finest.max(length(reference) / MOST_STEPS).max(length(meter) / (samples - 1));
    let (mut center, mut step) = (from, coarse);
    while step > target {
        step = (step / 4).max(target);
        // Two steps of the pass before, on each side.
        let curve = around(pair, center, step, 8)?;
        center = curve.offset(curve.best()?);
    }
    let curve = around(pair, center, step, AROUND)?;
    let best = curve.best()?;
    let (r, share) = *curve.values.get(best)?;
    let offset = curve.offset(best) - (step as f64 * vertex(&curve, best)) as i64;
    // Neighbours within the lobe say the same; only one value a lobe is independent.
    let lobe = curve.half_width(best, r / 2.0).unwrap_or(AROUND as f64);
    let independent = (length(reference) / step) as f64 * share / (2.0 * lobe).max(1.0);
    let uncertain = NORMAL * (1.0 - r * r).max(0.0) / independent.max(1.0).sqrt();
    let width = curve.half_width(best, r - uncertain).unwrap_or(AROUND as f64);
    Some((r, offset, (width.max(1.0) * step as f64) as i64))
}

/// The vertex of the parabola through the best and its neighbours, in steps from the best.
fn vertex(curve: &Curve, best: usize) -> f64 {
    let at = |index: Option<usize>| curve.values.get(index?).map(|(r, _)| *r);
    let (Some(before), Some(here), Some(after)) =
        (at(best.checked_sub(1)), at(Some(best)), at(best.checked_add(1)))
    else {
        return 0.0;
    };
    let bend = before - 2.0 * here + after;
    if bend < 0.0 { ((before - after) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::synthetic::{Run, SECOND, activity, metered};
    use super::*;

    #[track_caller]
    fn refused(reference: &Pieces, meter: &Pieces, expected: &str) {
        let found = find(Pair { reference, meter, drops_slow: true }, None);
        let reason = found.expect_err("no offset can be found here");
        assert!(reason.contains(expected), "{reason}");
    }

    #[test]
    fn what_cannot_be_found_is_refused() {
        let run = Run { seed: 7, seconds: 20, offset: SECOND, noise: 0.1, drift: 0.0 };
        let busy = activity(&run);
        let power = metered(&busy, &run);
        let flat = Pieces { time: vec![0, 20 * SECOND], value: vec![1.0, 1.0] };
        refused(&flat, &power, "what the recording says does not change");
        refused(&busy, &flat, "the measured power does not change");
        let short = Pieces { time: vec![0, 1000], value: vec![1.0, 2.0] };
        refused(&busy, &short, "the meter's file is shorter");
        refused(&Pieces::default(), &power, "the recording is shorter");
        // Power of another run.
        let other = Run { seed: 8, ..run };
        refused(&busy, &metered(&activity(&other), &other), "correlation");
    }

    #[test]
    fn a_load_with_a_period_is_ambiguous() {
        let on_off = |cycles: i64| Pieces {
            time: (0..cycles * 2).map(|half| half * SECOND / 4).collect(),
            value: (0..cycles * 2).map(|half| (half % 2) as f64).collect(),
        };
        refused(&on_off(40), &on_off(80), "ambiguous");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Within one step of the last pass, and within its own residual.
        #[test]
        fn offsets_are_recovered(seed in 0_u64..1_000_000, offset in -50_000_000_000_i64..50_000_000_000, noise in 0.0..0.3_f64) {
            let run = Run { seed, seconds: 20, offset, noise, drift: 0.0 };
            let reference = activity(&run);
            let meter = metered(&reference, &run);
            let peak = find(Pair { reference: &reference, meter: &meter, drops_slow: true }, None).unwrap();
            let off = (peak.offset - offset).abs();
            prop_assert!(off <= FINE, "{off} ns off: {peak:?}");
            prop_assert!(off <= peak.residual, "{off} ns off: {peak:?}");
        }

        /// Power of another run is found nowhere.
        #[test]
        fn another_run_is_refused(seed in 0_u64..1_000_000, seconds in 3_i64..30) {
            let run = Run { seed, seconds, offset: 0, noise: 0.1, drift: 0.0 };
            let other = Run { seed: seed + 1_000_000, ..run };
            let reference = activity(&run);
            let meter = metered(&activity(&other), &other);
            let found = find(Pair { reference: &reference, meter: &meter, drops_slow: true }, None);
            prop_assert!(found.is_err(), "{found:?}");
        }
    }
}
