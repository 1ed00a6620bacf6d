//! Graphics and tensor processing by curves.
//!
//! Quirk kept from Wattson: a Mali GPU that is on while its driver logs clock 0 still holds its last clock (the
//! next one, if the last was 0 too), power-gated.

use wattle_timeline::{GpuTimeline, Timeline, TpuTimeline, Window};
use wattle_units::{BootNanos, Hertz, Provenance, Watts};

use crate::{
    Component, DeviceModel, ErrorGroup, ErrorModel, ErrorSource, GpuCurve, PowerTrack, Scope,
    SourceId, TpuPoint, clock_unit,
};

/// Neither of the two published curves says how far off it is; taken as those of CPUs.
const SHARED: f64 = 0.2;
const OWN: f64 = 0.1;

/// The most requests in flight that tables tell apart.
const MOST_REQUESTS: u32 = 8;

/// The GPU's and the TPU's tracks.
pub(crate) fn tracks(
    timeline: &Timeline,
    model: &DeviceModel,
    provenance: Provenance,
    window: Window,
    errors: &mut ErrorModel,
) -> Vec<PowerTrack> {
    let mut source = |name: &str| {
        let group =
            errors.add_group(ErrorGroup { name: name.to_owned(), shared: SHARED, freedom: None });
        errors.add_source(ErrorSource {
            name: name.to_owned(),
            group,
            own: OWN,
            meter: None,
            provenance,
        })
    };
    let mut tracks = Vec::new();
    if let Some(curve) = &model.gpu
        && let Some(gpu) = of_curve(timeline, curve)
    {
        tracks.extend(gpu_track(timeline, gpu, curve, window, source("gpu")));
    }
    if !model.tpu.is_empty() && !timeline.hardware.tpus.is_empty() {
        let source = source("tpu");
        let tpus = timeline.hardware.tpus.iter();
        tracks.extend(tpus.filter_map(|tpu| tpu_track(tpu, &model.tpu, window, source)));
    }
    tracks
}

/// The GPU that the curve is of: by number, or the only one with a clock.
pub(crate) fn of_curve<'a>(timeline: &'a Timeline, curve: &GpuCurve) -> Option<&'a GpuTimeline> {
    let mut clocked = timeline.hardware.gpus.iter().filter(|gpu| !gpu.frequency.is_empty());
    let named = clocked.clone().find(|gpu| gpu.id == curve.id);
    named.or_else(|| clocked.next().filter(|_| clocked.next().is_none()))
}

fn gpu_track(
    timeline: &Timeline,
    gpu: &GpuTimeline,
    curve: &GpuCurve,
    window: Window,
    source: SourceId,
) -> Option<PowerTrack> {
    // The power state is logged without the GPU's number.
    let with_state = timeline.hardware.gpus.iter().find(|gpu| !gpu.power_state.is_empty());
    // Without it the clock alone does not tell a working GPU from a gated one: nothing is claimed.
    let states = &with_state?.power_state;
    let clocks = gpu.frequency.values();
    let factor = clock_unit::factor(
        clocks.iter().copied(),
        curve.points.iter().map(|point| point.frequency),
    );
    let start = gpu.frequency.first()?.0.max(states.first()?.0);
    let known = Window::new(start, window.end).intersect(window);
    let mut times: Vec<BootNanos> = gpu.frequency.times().to_vec();
    times.extend(states.times());
    times.retain(|time| known.contains(*time) && *time > known.start);
    times.push(known.end);
    times.sort_unstable();
    times.dedup();
    let mut track = PowerTrack::new(Component::Gpu, Scope::Gpu(gpu.id), known.start);
    for end in times {
        let now = track.end();
        let at = gpu.frequency.times().partition_point(|time| *time <= now).checked_sub(1)?;
        let mut clock = clocks[at];
        let mut state = states.at(now).unwrap_or(0);
        if state >= 2 && clock == Hertz::ZERO {
            let before = at.checked_sub(1).map(|i| clocks[i]).filter(|c| *c > Hertz::ZERO);
            clock = before.or(clocks.get(at + 1).copied()).unwrap_or_default();
            state = 1;
        }
        track.push_until(end, curve.power(clock_unit::scaled(clock, factor), state), source);
    }
    (!track.is_empty()).then_some(track)
}

impl GpuCurve {
    /// Power at a clock and state (0 off, 1 power-gated, 2 on); interpolated between clocks of the table, an
    /// end's beyond it.
    pub fn power(&self, clock: Hertz, state: u8) -> Watts {
        let state = usize::from(state.min(2));
        let after = self.points.partition_point(|point| point.frequency < clock);
        let high = self.points.get(after).or(self.points.last());
        let low = after.checked_sub(1).and_then(|i| self.points.get(i)).or(high);
        let (Some(low), Some(high)) = (low, high) else { return Watts::ZERO };
        let (from, to) = (low.by_state[state], high.by_state[state]);
        let width = high.frequency.value().saturating_sub(low.frequency.value());
        if width == 0 || clock >= high.frequency {
            return to;
        }
        let at = clock.value().saturating_sub(low.frequency.value()) as f64 / width as f64;
        from + (to - from) * at
    }
}

fn tpu_track(
    tpu: &TpuTimeline,
    points: &[TpuPoint],
    window: Window,
    source: SourceId,
) -> Option<PowerTrack> {
    let table = || points.iter().filter(|point| point.cluster == tpu.cluster);
    let clocks = tpu.frequency.values().iter().copied();
    let factor = clock_unit::factor(clocks, table().map(|point| Hertz::new(point.clock)));
    let start = tpu.frequency.first()?.0;
    let known = Window::new(start, window.end).intersect(window);
    let mut times: Vec<BootNanos> = tpu.frequency.times().to_vec();
    times.extend(tpu.requests.times());
    times.retain(|time| known.contains(*time) && *time > known.start);
    times.push(known.end);
    times.sort_unstable();
    times.dedup();
    let mut track = PowerTrack::new(Component::Tpu, Scope::Device, known.start);
    for end in times {
        let now = track.end();
        let clock = tpu.frequency.at(now).unwrap_or_default();
        let clock = clock_unit::scaled(clock, factor).value();
        let requests = tpu.requests.at(now).unwrap_or(0).min(MOST_REQUESTS);
        let nearest = table()
            .filter(|point| point.requests == requests)
            .min_by_key(|point| point.clock.abs_diff(clock));
        track.push_until(end, nearest.map_or(Watts::ZERO, |point| point.power), source);
    }
    (!track.is_empty()).then_some(track)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_timeline::Steps;

    fn steps<T: Copy + PartialEq>(changes: &[(i64, T)]) -> Steps<T> {
        changes.iter().map(|(time, value)| (BootNanos::new(*time), *value)).collect()
    }

    fn gpu(khz: &[(i64, u64)], states: &[(i64, u8)]) -> Vec<(i64, i64, String)> {
        let model = crate::library().iter().find(|model| model.name == "Tensor G5").unwrap();
        let khz: Vec<_> = khz.iter().map(|(t, f)| (*t, Hertz::from_kilohertz(*f))).collect();
        let mut timeline = Timeline::default();
        timeline.hardware.gpus.push(GpuTimeline {
            id: 0,
            frequency: steps(&khz),
            power_state: steps(states),
            work: Vec::new(),
        });
        let window = Window::new(BootNanos::new(0), BootNanos::new(100));
        let mut errors = ErrorModel::default();
        let tracks = tracks(&timeline, model, Provenance::Modelled, window, &mut errors);
        let segments = tracks.iter().flat_map(PowerTrack::segments);
        segments
            .map(|s| {
                let (from, to) = (s.window.start.value(), s.window.end.value());
                (from, to, format!("{:.2}", s.power.milliwatts()))
            })
            .collect()
    }

    /// Figures of Wattson's table for Tensor G5, whose driver logs hertz in the field for kilohertz; 750.38
    /// is also the printed power of its test `gpu_attribution`.
    #[test]
    fn gpu_power_is_by_clock_and_state() {
        let found =
            gpu(&[(0, 396_000_000), (50, 198_000_000)], &[(0, 2), (20, 1), (40, 2), (80, 0)]);
        let expected = [
            (0, 20, "750.38"),
            (20, 40, "5.34"),
            (40, 50, "750.38"),
            (50, 80, "393.87"),
            (80, 100, "0.00"),
        ];
        assert_eq!(found, expected.map(|(from, to, mw)| (from, to, mw.to_owned())));
        // Before the first event nothing is known, and nothing is claimed.
        assert_eq!(gpu(&[(10, 396_000_000)], &[(30, 2)])[0].0, 30);
        assert!(gpu(&[(10, 396_000_000)], &[]).is_empty());
    }

    #[test]
    fn a_gpu_that_is_on_without_a_clock_is_gated_at_its_last() {
        let found = gpu(&[(0, 396_000_000), (10, 0), (20, 198_000_000)], &[(0, 2)]);
        assert_eq!(found[1], (10, 20, "5.34".to_owned()));
        let found = gpu(&[(0, 0), (20, 198_000_000)], &[(0, 2)]);
        assert_eq!(found[0], (0, 20, "4.42".to_owned()));
    }
}
