//! Recordings without scheduler events: sampled stacks, method traces, polled busy times, clocks alone. Each has an energy that is
//! physically possible, *assumed* and noted, or a reason why it has none.

use std::path::Path;

use wattle_power::{Component, PowerEstimate, PowerOptions, estimate};
use wattle_testdata::requires;
use wattle_timeline::{
    CpuId, EventId, MethodCalls, MethodThread, NameId, RawScope, SampleEvent, SampleUnit,
    StackSample, ThreadId, Timeline, TimelineBuilder,
};
use wattle_units::{BootNanos, Estimate, Hertz, Joules, Nanos, Provenance, Watts};

/// More than any core of a phone or computer draws.
const MOST_OF_A_CORE: Watts = Watts::new(8.0);

/// The energy of the CPU, with its interval; `None` where there is no track of it.
fn cpu_energy(timeline: &Timeline, found: &PowerEstimate) -> Option<Estimate> {
    let mut tracks =
        found.tracks.iter().filter(|track| track.component == Component::Cpu).peekable();
    tracks.peek()?;
    Some(found.errors.whole(tracks.flat_map(|track| track.energies(timeline.window))))
}

/// Whether a note on the recording or the estimate has the code.
fn has_note(timeline: &Timeline, found: &PowerEstimate, code: &str) -> bool {
    let of_files = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    timeline.quality.notes.iter().chain(of_files).chain(&found.notes).any(|note| note.code == code)
}

/// Reads a file and checks its energy: assumed, possible, and noted by the code; or none, with the code as the reason.
#[track_caller]
fn check(path: &Path, has_energy: bool, code: &str) {
    let name = path.display();
    let timeline = wattle_ingest::read_paths(&[path.to_owned()]).unwrap();
    let found = estimate(&timeline, &PowerOptions::default()).unwrap();
    let energy = cpu_energy(&timeline, &found);
    assert!(has_note(&timeline, &found, code), "{name}: no note {code} in {:?}", found.notes);
    assert_eq!(energy.is_some(), has_energy, "{name}: {energy:?}");
    let Some(energy) = energy else { return };
    assert_eq!(energy.provenance, Provenance::Assumed, "{name}");
    let Estimate { joules, interval, .. } = energy;
    assert!(joules > Joules::ZERO, "{name}: {joules}");
    assert!(interval.low < joules && joules < interval.high, "{name}: {interval:?}");
    assert!(interval.high / interval.low > 3.0, "{name}: {interval:?} is not wide");
    let seconds = timeline.window.duration().seconds();
    let cores = timeline.cpus.len().max(1) as f64;
    assert!(joules.value() / seconds <= cores * MOST_OF_A_CORE.value(), "{name}: {joules}");
    for segment in found
        .tracks
        .iter()
        .filter(|it| it.component == Component::Cpu)
        .flat_map(wattle_power::PowerTrack::segments)
    {
        assert!(segment.power <= MOST_OF_A_CORE, "{name}: {segment:?}");
    }
}

/// Checks files of a folder of the real recordings, with the code of the note on each: all of them must be there.
#[track_caller]
fn check_files(folder: &str, has_energy: bool, code: &str, names: &[&str]) {
    let files = wattle_testdata::files(folder, names.len(), |name| names.contains(&name));
    for path in files {
        check(&path, has_energy, code);
    }
}

#[requires(data)]
#[test]
fn samples_without_cpu_numbers_have_the_energy_of_any_core() {
    let of_perf = [
        "firefox-simpleperf-task-clock.trace.gz",
        "linux-perf-data-fibo.compressed2.pipe.data",
        "linux-perf-data-sleep.compressed.data",
        "linux-perf-data-sleep.compressed.pipe.data",
        "linux-perf-data-sleep.compressed2.data",
        "linux-perf-data-sleep.data",
    ];
    check_files("perfdata", true, "cpu-any-core", &of_perf);
    check_files("perf_script", true, "cpu-any-core", &["speedscope-simple-with-header.txt"]);
}

#[requires(data)]
#[test]
fn samples_with_cpu_numbers_have_energy() {
    let of_simpleperf = [
        "simpleperf-has_embedded_native_libs_apk_perf.data",
        "simpleperf-perf.data",
        "simpleperf-perf_b.data",
        "simpleperf-perf_g_fp.data",
        "simpleperf-perf_with_add_counter.data",
    ];
    check_files("perfdata", true, "schedule-inferred", &of_simpleperf);
    // It has tracepoints of the scheduler.
    check_files("perfdata", true, "model-assumed", &["LinuxTracepoints-perf.data"]);
    let of_script =
        ["flamegraph-perf-java-stacks-01.txt", "ms-perf.data.txt", "speedscope-forks.txt"];
    check_files("perf_script", true, "schedule-inferred", &of_script);
    // Stacks without times.
    let folded = ["flamegraph-perf-java-stacks-01-collapsed-all.txt"];
    check_files("perf_script", false, "no-power-data", &folded);
}

#[requires(data)]
#[test]
fn method_traces_with_thread_clocks_have_the_energy_of_any_core() {
    let with_events = [
        "firefox-art-trace-regular.trace.gz",
        "perflib-basic-api10.trace",
        "perflib-basic.trace",
        "perflib-exception.trace",
        "perflib-mismatched.trace",
        "perflib-streaming.trace",
    ];
    check_files("art_trace", true, "cpu-any-core", &with_events);
    // Methods and threads, and no calls of them.
    let without = ["perflib-basic-special_char.trace", "perflib-header.trace"];
    check_files("art_trace", false, "no-power-data", &without);
}

#[requires(data)]
#[test]
fn clocks_alone_have_an_energy_from_idle_to_busy() {
    let traces = |ending: &'static str| {
        let is_one = move |name: &str| name.starts_with("trace-") && name.ends_with(ending);
        wattle_testdata::files("perfetto/emanafa", 3, is_one)
    };
    let mut files = traces(".0");
    files.extend(traces(".systrace"));
    files.push(wattle_testdata::path("systrace/petra-systrace_example"));
    for path in files {
        check(&path, true, "cpu-by-clock-alone");
    }
}

#[requires(data)]
#[test]
fn traces_of_marks_alone_have_no_energy() {
    check_files("perfetto", false, "no-power-data", &["nia_pixel7pro_atrace.perfetto-trace"]);
    let of_atrace = ["catapult-compressed_atrace_data.txt", "trappy-trace.txt"];
    check_files("systrace", false, "no-power-data", &of_atrace);
}

/// The scheduler or rails are better than totals: nothing of mean activity is added.
#[requires(data)]
#[test]
fn recorded_schedules_and_rails_are_no_mean_activity() {
    let names = [
        "api32_startup_warm_pixel6a.perfetto-trace",
        "ms_sched_freq_idle_galaxyS21.perfetto-trace",
        "power_rails_pixel6pro.perfetto-trace",
        "studio_perflib_ftrace.perfetto-trace",
    ];
    for path in wattle_testdata::files("perfetto", names.len(), |name| names.contains(&name)) {
        let timeline = wattle_ingest::read_paths(std::slice::from_ref(&path)).unwrap();
        let found = estimate(&timeline, &PowerOptions::default()).unwrap();
        assert!(cpu_energy(&timeline, &found).is_some(), "{}", path.display());
        for code in ["cpu-any-core", "cpu-by-busy-time", "cpu-by-clock-alone"] {
            assert!(!has_note(&timeline, &found, code), "{}: {code}", path.display());
        }
    }
}

/// The work of a thread for a second on one core that is known here, and that its recording does not say.
#[derive(Clone, Copy, Debug)]
struct Truth<'a> {
    soc: &'a str,
    cpu: CpuId,
    clock: Hertz,
}

const SECOND: i64 = 1_000_000_000;
const MILLISECOND: i64 = 1_000_000;

impl Truth<'_> {
    /// A recording of the SoC that has nothing yet.
    fn builder(&self) -> TimelineBuilder {
        let mut builder = TimelineBuilder::new();
        builder.device.soc = Some(self.soc.to_owned());
        builder.extend_to(BootNanos::new(0));
        builder.extend_to(BootNanos::new(SECOND));
        builder
    }

    /// The energy of the core while it is busy for this part of the second, and idle for the rest.
    fn joules(&self, busy: f64) -> Joules {
        let model = wattle_power::library()
            .iter()
            .find(|it| it.matching.socs.iter().any(|soc| soc == self.soc));
        let model = model.unwrap();
        let policy = &model.policies[model.policy_of(self.cpu).unwrap()];
        let state = policy.power(self.clock, policy.lowest_dependency());
        (state.core[0] * busy + state.core[2] * (1.0 - busy)) * Nanos::new(SECOND)
    }

    /// Checks that the estimate of a recording has the true energy in its interval, and nothing of it that is not assumed.
    #[track_caller]
    fn check(&self, timeline: &Timeline, truth: Joules, code: &str) {
        let found = estimate(timeline, &PowerOptions::default()).unwrap();
        let energy = cpu_energy(timeline, &found).unwrap();
        let Estimate { joules, interval, provenance } = energy;
        assert!(
            (interval.low..=interval.high).contains(&truth),
            "{self:?}: {truth} is not in {joules} {interval:?}"
        );
        assert_eq!(provenance, Provenance::Assumed, "{self:?}");
        assert!(has_note(timeline, &found, code), "{self:?}: {:?}", found.notes);
    }

    /// Samples each millisecond, which do not say on which CPU they were taken.
    fn sampled(&self, unit: SampleUnit) -> Timeline {
        let mut builder = self.builder();
        let event: EventId = builder.samples().event(SampleEvent { name: NameId::default(), unit });
        let cycles = self.clock.value() / 1000;
        let weight = if unit == SampleUnit::Cycles { cycles } else { MILLISECOND as u64 };
        for index in 1..=1000 {
            let (time, thread) = (BootNanos::new(index * MILLISECOND), ThreadId(7));
            let (cpu, site, is_truncated) = (None, None, false);
            let sample = StackSample { time, cpu, thread, site, event, weight, is_truncated };
            builder.samples().sample(Some(7), sample);
        }
        builder.finish()
    }

    /// One call of a method trace, by whose thread's clock it was on a CPU for half of its time.
    fn traced(&self) -> Timeline {
        let mut builder = self.builder();
        let calls = MethodCalls {
            start: vec![BootNanos::new(0)],
            end: vec![BootNanos::new(SECOND)],
            name: vec![NameId::default()],
            site: vec![None],
            depth: vec![0],
            cpu: vec![Some(Nanos::new(SECOND / 2))],
        };
        builder.code().method_calls(MethodThread::Kernel(7), calls);
        builder.finish()
    }

    /// Polls of the busy time of the core at its clock, every 100 ms.
    fn polled(&self, busy: f64) -> Timeline {
        let mut builder = self.builder();
        let name = builder.names.intern(&format!("cpu.{}.busy", self.cpu.0));
        let key = builder.system().counter_track(RawScope::Global, name);
        for index in 0..=10_i32 {
            let time = BootNanos::new(i64::from(index) * 100 * MILLISECOND);
            builder.cpus().polled_frequency(self.cpu.0, time, self.clock);
            builder.system().counter(key, time, 5.0 + f64::from(index) * 0.1 * busy);
        }
        builder.finish()
    }

    /// The core's clock alone.
    fn clocked(&self) -> Timeline {
        let mut builder = self.builder();
        builder.cpus().frequency(self.cpu.0, BootNanos::new(0), self.clock);
        builder.finish()
    }
}

/// Every clock of a core of each cluster of the SoC.
fn truths(soc: &str) -> Vec<Truth<'_>> {
    let model =
        wattle_power::library().iter().find(|it| it.matching.socs.iter().any(|it| it == soc));
    let of_policy = |policy: &wattle_power::Policy| {
        let cpu = policy.cpus[0];
        policy.frequencies().map(move |clock| Truth { soc, cpu, clock }).collect::<Vec<_>>()
    };
    model.unwrap().policies.iter().flat_map(of_policy).collect()
}

#[test]
fn constant_activity_of_a_known_core_is_in_the_interval() {
    let mut checked = 0;
    for soc in ["Tensor", "SDM845", "SM8250", "SM8750"] {
        for truth in truths(soc) {
            truth.check(&truth.sampled(SampleUnit::Nanos), truth.joules(1.0), "cpu-any-core");
            truth.check(&truth.sampled(SampleUnit::Cycles), truth.joules(1.0), "cpu-any-core");
            // Of what the thread's clock does not show nothing is estimated.
            truth.check(&truth.traced(), truth.joules(1.0) * 0.5, "cpu-any-core");
            for busy in [0.2, 1.0] {
                let timeline = truth.polled(busy);
                truth.check(&timeline, truth.joules(busy), "cpu-by-busy-time");
            }
            for busy in [0.02, 0.3, 1.0] {
                truth.check(&truth.clocked(), truth.joules(busy), "cpu-by-clock-alone");
            }
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked}");
}
