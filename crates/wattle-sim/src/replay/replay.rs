//! The phone with its processes.

use super::cast;
use super::{RecordedSources, ReplayClocks, ReplayProcess, ReplayWindow};
use crate::SplitMix64;
use crate::curve_error::{self, CurveErrors};
use crate::performance::Performance;
use crate::simulation::check_phone;
use crate::specimen::{Seeds, Specimen};
use crate::stage::{Span, Stage};
use crate::{Effects, InterruptSpec, PhoneSpec, SimError, Simulated, device_model};

/// A phone, its clocks, and everything that processes did on it. Any window of that time can be recorded.
#[derive(Clone, Debug)]
pub struct Replay {
    spec: PhoneSpec,
    clocks: ReplayClocks,
    errors: CurveErrors,
    seed: u64,
    processes: Vec<ReplayProcess>,
    interrupts: Vec<InterruptSpec>,
}

impl Replay {
    /// A phone on which nothing runs, and which is exactly as its model says.
    pub const fn new(spec: PhoneSpec, clocks: ReplayClocks, seed: u64) -> Self {
        Self {
            spec,
            clocks,
            errors: CurveErrors::NONE,
            seed,
            processes: Vec::new(),
            interrupts: Vec::new(),
        }
    }

    /// The same phone, which differs from its model by errors drawn from the seed.
    #[must_use]
    pub const fn with_errors(mut self, errors: CurveErrors) -> Self {
        self.errors = errors;
        self
    }

    /// The same with devices that interrupt. They wake no thread of their own.
    #[must_use]
    pub fn with_interrupts(mut self, interrupts: Vec<InterruptSpec>) -> Self {
        self.interrupts = interrupts;
        self
    }

    /// A process more.
    pub fn add(&mut self, process: ReplayProcess) {
        self.processes.push(process);
    }

    /// All processes, in the order they were added.
    pub fn processes(&self) -> &[ReplayProcess] {
        &self.processes
    }

    /// All processes, to go on with what they do.
    pub const fn processes_mut(&mut self) -> &mut Vec<ReplayProcess> {
        &mut self.processes
    }

    /// Sets the counters of the rails when the recording begins, in microwatt-seconds.
    pub fn set_rails(&mut self, counters: impl IntoIterator<Item = u64>) {
        for (rail, counter) in self.spec.rails.iter_mut().zip(counters) {
            rail.start_microjoules = counter;
        }
    }

    /// The phone.
    pub const fn phone(&self) -> &PhoneSpec {
        &self.spec
    }

    /// Its clocks.
    pub const fn clocks(&self) -> &ReplayClocks {
        &self.clocks
    }

    /// The device model that an estimator may have.
    pub fn device_model(&self) -> String {
        let random = SplitMix64::new(self.seed).fork(2);
        let (_, residuals) = curve_error::draw(&self.spec, self.errors, random);
        device_model::toml(&self.spec, &residuals)
    }

    /// Returns the recording of this window, and its ground truth. The same replay gives the same bytes.
    ///
    /// Activity that began before the window counts from its begin. A process or thread that ended before it or begins
    /// after it is not there.
    ///
    /// # Errors
    ///
    /// When the window is shorter than a millisecond or longer than a million seconds, a number is given twice, or
    /// the phone cannot be.
    pub fn run(
        &self,
        window: ReplayWindow,
        sources: &RecordedSources,
    ) -> Result<Simulated, SimError> {
        check_phone(&self.spec)?;
        let length = window.length().value();
        if !(1_000_000..=1_000_000_000_000_000).contains(&length) || window.start.value() < 0 {
            return Err(SimError::Workload {
                place: "window".to_owned(),
                expected: "1 ms to 1e6 s from boot on",
                found: format!("{} from {} ns on", window.length(), window.start.value()),
            });
        }
        let span = Span { start: window.start.value(), end: window.end.value() };
        let mut stage = Stage::empty(span, self.clocks.clone());
        stage.is_replay = true;
        stage.sources = sources.clone();
        stage.interrupts.clone_from(&self.interrupts);
        for interrupt in &mut stage.interrupts {
            interrupt.wakes = None;
            if interrupt.cpu >= self.spec.cpus() {
                return Err(SimError::Workload {
                    place: format!("interrupt {}", interrupt.name),
                    expected: "a CPU of the phone",
                    found: interrupt.cpu.to_string(),
                });
            }
        }
        cast::cast(&mut stage, &self.processes, window)?;
        if let Some(poller) = sources.poller.clone() {
            stage.poll(poller)?;
        }
        let random = SplitMix64::new(self.seed).fork(2);
        let (curves, residuals) = curve_error::draw(&self.spec, self.errors, random);
        let device_model = device_model::toml(&self.spec, &residuals);
        let specimen = Specimen {
            spec: &self.spec,
            curves: &curves,
            effects: &Effects::NONE,
            seeds: Seeds { phone: self.seed, code: self.seed },
        };
        let performed = Performance::give(specimen, &stage, self.seed, Vec::new(), u64::MAX)?;
        Ok(Simulated {
            trace: performed.out,
            truth: performed.truth,
            device_model,
            counters: performed.counters,
        })
    }
}
