//! Notes for a reader of an estimate: typed while it is made, text at its edge.
//!
//! Estimators state their reasons as values, and decide by values. Only [`PowerNote::to_note`] knows codes, severities and
//! sentences.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Architecture, Emulator, Note, Severity};
use wattle_units::{Joules, Nanos};

use crate::{CoefficientUnit, Component};

/// Names of figures that are missing, by the rule that needs them.
pub(crate) type MissingFigures = BTreeMap<&'static str, BTreeSet<&'static str>>;

/// One reason, with its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PowerNote {
    /// A power profile has figures that nobody measured.
    ProfilePlaceholder { profile: String, why: String },
    /// A power profile has no CPU currents.
    ProfileWithoutCpu { profile: String },
    /// A power profile is a copy of another device's.
    ProfileCopied { profile: String, original: String },
    /// The power model that the recording contains is not used.
    RecordedModelRefused { why: String },
    /// A part of the power model that the recording contains was changed or left out.
    RecordedModelRemark { remark: String },
    /// Figures of the power model that the recording contains look wrong.
    RecordedModelDoubtful { defects: u64, first: String },
    /// No device model estimates the CPU.
    NoDeviceModel(NoModel),
    /// Another device's model stands in.
    ModelAssumed { model: String },
    /// Bounds of calls rest on another device's model.
    BoundModelAssumed { model: String, source: String },
    /// The battery's voltage is a guess.
    VoltageAssumed,
    /// Threads ran on virtual CPUs, each any core of the device.
    CpuIsAnyCore { cpus: u64 },
    /// CPUs by the busy time that the kernel counted.
    CpuByBusyTime { cpus: u64 },
    /// CPUs by their clocks alone.
    CpuByClockAlone { cpus: u64 },
    /// Nothing recorded when CPUs were busy.
    CpuActivityUnknown,
    /// CPUs without idle events.
    IdleInferred { cpus: u64 },
    /// CPUs without idle and scheduler events.
    CpuUnwatched { cpus: u64 },
    /// CPUs whose first clock is carried back.
    FrequencyCarriedBack { cpus: u64 },
    /// CPUs that are counted from their first clock on.
    FrequencyUntold { cpus: u64 },
    /// CPUs without any clock.
    FrequencyAssumed { cpus: u64 },
    /// Clocks between those of the model's table.
    FrequencyInterpolated { states: u64 },
    /// CPUs that the model does not know.
    CpuWithoutModel { model: String, cpus: u64 },
    /// The clock of the DSU was not recorded.
    DsuClockAssumed { is_lowest: bool },
    /// A parameter of a linear term was not recorded.
    LinearParameterMissing { parameter: String, component: Component },
    /// A coefficient is not in the unit that its parameter needs.
    LinearUnit {
        parameter: String,
        component: Component,
        unit: CoefficientUnit,
        expected: CoefficientUnit,
    },
    /// Parameters that are not known all the time.
    LinearParameterGaps { parameters: Vec<String> },
    /// The constant of a linear model is not used beside rails.
    LinearInterceptLeftOut,
    /// The correction of a linear model is not used, or not all the time.
    LinearCorrectionLeftOut { parameters: Vec<String> },
    /// A linear model of energies of runs has no power over time.
    LinearOfRuns,
    /// Components that a linear model already has.
    LinearInsteadOfFigures,
    /// Components that Android's rules make of totals.
    ComponentsByTotals { components: BTreeSet<Component>, models: Vec<String> },
    /// Components that are modelled by their states.
    ComponentsByStates { components: BTreeSet<Component>, models: Vec<String> },
    /// Components by Android's own estimate.
    ComponentsByAndroid { components: BTreeSet<Component> },
    /// Android's own estimate rests on figures that nobody measured.
    AndroidEstimatePlaceholder,
    /// Components whose figures no model has.
    ComponentsWithoutFigures(MissingFigures),
    /// The totals of stretches inside longer ones.
    UsageOverlapping { stretches: u64 },
    /// Totals that are no numbers of any time.
    UsageUnusable { totals: u64 },
    /// Packets that would have been on the air longer than there was time.
    WifiPacketsLimited { times: f64 },
    /// The length of a radio's tail is a guess.
    RadioTailAssumed { radio: &'static str, usual: &'static str },
    /// The panel's brightness was not recorded.
    BrightnessUnknown,
    /// The GPU was estimated by a counter or by its work.
    GpuByUtilisation { counter: Option<(String, f64)> },
    /// Samples of the GPU's utilisation that are too far apart.
    GpuUtilisationGaps { counter: String, gaps: usize },
    /// A counter that fits no scale of utilisation.
    GpuUtilisationUnusable { counter: String, highest: f64 },
    /// Rails of an emulator.
    RailsOfEmulator { emulator: Emulator },
    /// Corrected or dropped samples of rails.
    RailsCorrected { samples: u64 },
    /// Samples of a rail that are stamped later than they were taken.
    RailLate { rail: String, delay: Nanos },
    /// Rails whose names are not known.
    RailUnknown { rails: u64 },
    /// Rails that other counted rails may feed, and the energy that may be counted twice.
    RailsDoubtful { rails: Vec<String>, joules: Joules },
}

/// Why no device model estimates the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoModel {
    /// Models of another kind than requested apply.
    OtherKind { models: Vec<String> },
    /// Rails were requested, and none were recorded.
    NoRails,
    /// A power profile was requested, and none applies.
    NoProfile,
    /// Android's own estimate was requested, and the recording has none.
    NoAndroidEstimate,
    /// Android's own estimate was wanted, and rests on AOSP's placeholders.
    AndroidPlaceholder,
    /// The recording is of an emulator, and the user gave no model.
    Emulator(Emulator),
    /// No model applies to CPUs of this instruction set.
    Architecture { architecture: Architecture, cpus: usize },
    /// No model applies.
    Nothing,
}

impl PowerNote {
    /// Whether the note says that the CPU has no estimate by a model. Such a note is dropped where a later estimator
    /// makes one.
    pub(crate) fn is_lack_of_cpu(&self) -> bool {
        matches!(self, Self::NoDeviceModel(_) | Self::CpuActivityUnknown)
    }

    /// The note for quality sections.
    pub(crate) fn to_note(&self) -> Note {
        let (severity, code) = self.head();
        Note::new(severity, code, self.text()).times(self.count())
    }

    fn head(&self) -> (Severity, &'static str) {
        use Severity::{Info, Warning};
        match self {
            Self::ProfilePlaceholder { .. } => (Warning, "profile-placeholder"),
            Self::ProfileWithoutCpu { .. } => (Warning, "profile-without-cpu"),
            Self::ProfileCopied { .. } => (Warning, "profile-copied"),
            Self::RecordedModelRefused { .. } => (Warning, "recorded-model-refused"),
            Self::RecordedModelRemark { .. } => (Info, "recorded-model-changed"),
            Self::RecordedModelDoubtful { .. } => (Info, "recorded-model-doubtful"),
            Self::NoDeviceModel(_) => (Warning, "no-device-model"),
            Self::ModelAssumed { .. } => (Warning, "model-assumed"),
            Self::BoundModelAssumed { .. } => (Warning, "bound-model-assumed"),
            Self::VoltageAssumed => (Warning, "voltage-assumed"),
            Self::CpuIsAnyCore { .. } => (Warning, "cpu-any-core"),
            Self::CpuByBusyTime { .. } => (Warning, "cpu-by-busy-time"),
            Self::CpuByClockAlone { .. } => (Warning, "cpu-by-clock-alone"),
            Self::CpuActivityUnknown => (Warning, "cpu-activity-unknown"),
            Self::IdleInferred { .. } => (Warning, "crude-estimate"),
            Self::CpuUnwatched { .. } => (Info, "cpu-unwatched"),
            Self::FrequencyCarriedBack { .. } => (Info, "frequency-carried-back"),
            Self::FrequencyUntold { .. } => (Info, "frequency-untold"),
            Self::FrequencyAssumed { .. } => (Warning, "frequency-assumed"),
            Self::FrequencyInterpolated { .. } => (Info, "frequency-interpolated"),
            Self::CpuWithoutModel { .. } => (Warning, "cpu-without-model"),
            Self::DsuClockAssumed { .. } => (Warning, "dsu-clock-assumed"),
            Self::LinearParameterMissing { .. } => (Warning, "linear-parameter-missing"),
            Self::LinearUnit { .. } => (Warning, "linear-unit"),
            Self::LinearParameterGaps { .. } => (Info, "linear-parameter-gaps"),
            Self::LinearInterceptLeftOut => (Info, "linear-intercept-left-out"),
            Self::LinearCorrectionLeftOut { .. } => (Info, "linear-correction-left-out"),
            Self::LinearOfRuns => (Warning, "linear-of-runs"),
            Self::LinearInsteadOfFigures => (Info, "linear-instead-of-figures"),
            Self::ComponentsByTotals { .. } => (Info, "components-by-totals"),
            Self::ComponentsByStates { .. } => (Info, "components-by-states"),
            Self::ComponentsByAndroid { .. } => (Info, "components-by-android"),
            Self::AndroidEstimatePlaceholder => (Warning, "android-estimate-placeholder"),
            Self::ComponentsWithoutFigures(_) => (Info, "components-without-figures"),
            Self::UsageOverlapping { .. } => (Info, "usage-overlapping"),
            Self::UsageUnusable { .. } => (Warning, "usage-unusable"),
            Self::WifiPacketsLimited { .. } => (Warning, "wifi-packets-limited"),
            Self::RadioTailAssumed { .. } => (Info, "radio-tail-assumed"),
            Self::BrightnessUnknown => (Warning, "display-brightness-unknown"),
            Self::GpuByUtilisation { .. } => (Info, "gpu-by-utilisation"),
            Self::GpuUtilisationGaps { .. } => (Warning, "gpu-utilisation-gaps"),
            Self::GpuUtilisationUnusable { .. } => (Warning, "gpu-utilisation-unusable"),
            Self::RailsOfEmulator { .. } => (Warning, "rails-of-emulator"),
            Self::RailsCorrected { .. } => (Info, "rails-mended"),
            Self::RailLate { .. } => (Info, "rail-late"),
            Self::RailUnknown { .. } => (Info, "rail-unknown"),
            Self::RailsDoubtful { .. } => (Warning, "rails-doubtful"),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Self::IdleInferred { cpus }
            | Self::CpuByBusyTime { cpus }
            | Self::CpuByClockAlone { cpus }
            | Self::CpuUnwatched { cpus }
            | Self::FrequencyCarriedBack { cpus }
            | Self::FrequencyUntold { cpus }
            | Self::FrequencyAssumed { cpus }
            | Self::CpuWithoutModel { cpus, .. } => *cpus,
            Self::FrequencyInterpolated { states } => *states,
            Self::UsageOverlapping { stretches } => *stretches,
            Self::UsageUnusable { totals } => *totals,
            Self::RecordedModelDoubtful { defects, .. } => *defects,
            Self::RailsCorrected { samples } => *samples,
            Self::RailUnknown { rails } => *rails,
            Self::RailsDoubtful { rails, .. } => rails.len() as u64,
            _ => 1,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::ProfilePlaceholder { profile, why } => {
                format!("{profile}: placeholder figures ({why}); it is not used")
            }
            Self::ProfileWithoutCpu { profile } => {
                format!("{profile}: no CPU currents; its other figures are used")
            }
            Self::ProfileCopied { profile, original } => format!(
                "{profile}: its CPU currents and nearly all its other figures are those of {original:?}, another device: \
                 they may not describe this one"
            ),
            Self::RecordedModelRefused { why } => {
                format!("the recording's own power model is not used: {why}")
            }
            Self::RecordedModelRemark { remark } => {
                format!("the recording's own power model: {remark}")
            }
            Self::RecordedModelDoubtful { first, .. } => {
                format!("figures of the recording's own power model look wrong: {first}")
            }
            Self::NoDeviceModel(why) => why.text(),
            Self::ModelAssumed { model } => format!(
                "no model is known for this device: figures of {model:?} stand in, and their error can be large"
            ),
            Self::BoundModelAssumed { model, source } => format!(
                "no model is known for this device: upper bounds of calls rest on {model:?} ({source}), and are bounds \
                 only as far as that is like it; give one with --device-model"
            ),
            Self::VoltageAssumed => {
                "the recording has no battery voltage: 3.85 V is assumed; give --voltage".to_owned()
            }
            Self::CpuActivityUnknown
            | Self::CpuIsAnyCore { .. }
            | Self::CpuByBusyTime { .. }
            | Self::CpuByClockAlone { .. }
            | Self::IdleInferred { .. }
            | Self::CpuUnwatched { .. }
            | Self::FrequencyCarriedBack { .. }
            | Self::FrequencyUntold { .. }
            | Self::FrequencyAssumed { .. }
            | Self::FrequencyInterpolated { .. }
            | Self::CpuWithoutModel { .. }
            | Self::DsuClockAssumed { .. } => self.cpu_text(),
            Self::LinearParameterMissing { .. }
            | Self::LinearUnit { .. }
            | Self::LinearParameterGaps { .. }
            | Self::LinearInterceptLeftOut
            | Self::LinearCorrectionLeftOut { .. }
            | Self::LinearOfRuns
            | Self::LinearInsteadOfFigures => self.linear_text(),
            Self::RailsOfEmulator { emulator } => format!(
                "the power rails are those of an emulator ({}), which has no power monitor: they are not used",
                emulator.title()
            ),
            Self::RailsCorrected { .. } => {
                "energy counters of rails wrapped, restarted or had bad samples; such intervals were corrected or left \
                 out"
                    .to_owned()
            }
            Self::RailLate { rail, delay } => format!(
                "samples of rail {rail} are stamped {delay} after what they count, by the code that ran: they are moved by that"
            ),
            Self::RailUnknown { .. } => {
                "rails with unknown names are counted under the subsystem that they declare, or under their own name"
                    .to_owned()
            }
            Self::RailsDoubtful { rails, joules } => format!(
                "other counted rails may feed {}: which regulator feeds which is not known for this device, so up to {} of the \
                 total may be counted twice",
                rails.join(", "),
                energy_text(*joules)
            ),
            _ => self.component_text(),
        }
    }

    /// The text of a note on the CPU.
    fn cpu_text(&self) -> String {
        let text = match self {
            Self::CpuActivityUnknown => {
                "neither cpu_idle nor scheduler events: it is not known when CPUs were busy, so no CPU energy is \
                 modelled or given to threads"
            }
            Self::CpuIsAnyCore { cpus } => {
                let were = match *cpus {
                    1 => "one virtual CPU, which".to_owned(),
                    cpus => format!("{cpus} virtual CPUs, each of which"),
                };
                return format!(
                    "the CPU of each thread was not recorded: threads are laid on {were} stands for an average core of the device model; \
                     the interval reaches from its smallest core to its largest, and the power of idle CPUs and of other threads is \
                     not included"
                );
            }
            Self::CpuByBusyTime { .. } => {
                "neither cpu_idle nor scheduler events: CPU energy comes from the busy time of each CPU that the kernel counted between \
                 two polls, and is attributed to no process"
            }
            Self::CpuByClockAlone { .. } => {
                "only the clocks of CPUs were recorded, not when CPUs were busy: they are taken to be busy a tenth of the time, with an \
                 interval from idle to always busy; record sched_switch or cpu_idle to narrow it"
            }
            Self::IdleInferred { .. } => {
                "no cpu_idle events for some CPUs: idle is inferred from the idle task, so idle states are not known"
            }
            Self::CpuUnwatched { .. } => {
                "neither cpu_idle nor scheduler events for some CPUs: they are taken as idle, and no energy of their own \
                 is estimated"
            }
            Self::FrequencyCarriedBack { .. } => {
                "CPU frequency is not known before its first event: the first value is carried back"
            }
            Self::FrequencyUntold { .. } => {
                "CPUs are counted from their first frequency on, which came while the recorder started"
            }
            Self::FrequencyAssumed { .. } => {
                "no CPU frequency in the recording: the middle one of the device model's table is assumed"
            }
            Self::FrequencyInterpolated { .. } => {
                "states of CPU clocks that are not in the device model's table: power is interpolated between the nearest"
            }
            Self::CpuWithoutModel { model, .. } => {
                return format!("CPUs that the device model {model} does not know");
            }
            Self::DsuClockAssumed { is_lowest: true } => {
                "the device model depends on the clock of the DSU (devfreq_frequency), which the recording does not \
                 contain: the lowest is assumed, as Wattson does; intervals reach to the power at the highest"
            }
            Self::DsuClockAssumed { is_lowest: false } => {
                "the device model depends on the clock of the DSU (devfreq_frequency), which the recording does not \
                 contain: a middle one is assumed; intervals reach from the power at the lowest to that at the highest"
            }
            _ => "",
        };
        text.to_owned()
    }

    /// The text of a note on a linear model.
    fn linear_text(&self) -> String {
        match self {
            Self::LinearParameterMissing { parameter, component } => format!(
                "the recording does not contain {parameter}, by which the device model counts {component}: that power is \
                 not estimated"
            ),
            Self::LinearUnit { parameter, component, unit, expected } => format!(
                "the device model's coefficient of {parameter} is in {unit}, the parameter needs {expected}: that power of \
                 {component} is not estimated"
            ),
            Self::LinearParameterGaps { parameters } => format!(
                "not known all the time, and nothing is estimated while they are not: {}",
                parameters.join(", ")
            ),
            Self::LinearInterceptLeftOut => {
                "the constant of the linear model is left out: rails measure a part of what it stands for".to_owned()
            }
            Self::LinearCorrectionLeftOut { parameters } if parameters.is_empty() => {
                "the correction of the linear model is left out: it is one of all terms together, and some components are \
                 counted by rails or curves; the error of the terms alone is used"
                    .to_owned()
            }
            Self::LinearCorrectionLeftOut { parameters } => format!(
                "the correction of the linear model is left out while any of its parameters is unknown, and the error of the \
                 terms alone is used: {}",
                parameters.join(", ")
            ),
            Self::LinearOfRuns => {
                "the linear model is of energies of whole runs without their length, so it says nothing of power over time: \
                 calibrate with --duration"
                    .to_owned()
            }
            _ => "figures of components are not added to the linear model's estimate of them, or of the whole device"
                .to_owned(),
        }
    }

    /// The text of a note on components other than by the CPU's curves.
    fn component_text(&self) -> String {
        match self {
            Self::ComponentsByTotals { components, models } => {
                let models = models.join(", ");
                let of = if models.is_empty() { "what the device measured" } else { &models };
                let components = listed(components);
                format!(
                    "{components} by Android's rules on the totals that the system counted, figures of {of}"
                )
            }
            Self::ComponentsByStates { components, models } => {
                format!(
                    "{} by their states over time, figures of {}",
                    listed(components),
                    models.join(", ")
                )
            }
            Self::ComponentsByAndroid { components } => format!(
                "{} by Android's own estimate (\"Estimated power use\") at the battery's voltage: no device model at hand \
                 has figures for this device",
                listed(components)
            ),
            Self::AndroidEstimatePlaceholder => {
                "Android's own estimate is not used: it rests on the default power profile, whose figures were measured on \
                 no device"
                    .to_owned()
            }
            Self::ComponentsWithoutFigures(missing) => {
                let rule = |(rule, figures): (&&str, &BTreeSet<&str>)| {
                    format!("{rule} ({})", figures.iter().copied().collect::<Vec<_>>().join(", "))
                };
                format!(
                    "no data of components whose figures no device model or power profile at hand has: {}; give one with \
                     --device-model",
                    missing.iter().map(rule).collect::<Vec<_>>().join("; ")
                )
            }
            Self::UsageOverlapping { .. } => {
                "totals of a stretch of time inside a longer one with totals: not used".to_owned()
            }
            Self::UsageUnusable { .. } => {
                "totals below zero, not finite or of no time: not used".to_owned()
            }
            Self::WifiPacketsLimited { times } => format!(
                "Wi-Fi packets that would have been on the air {times:.1} times as long as there was time by Android's \
                 rule (2 KB at 1 Mb/s): taken to fill the time"
            ),
            Self::RadioTailAssumed { radio, usual } => format!(
                "how long the {radio} radio stays awake after traffic is assumed: {usual}; give [[figure]] {radio}.tail"
            ),
            Self::BrightnessUnknown => {
                "the panel's brightness is not known: only the power for being on is counted"
                    .to_owned()
            }
            Self::GpuByUtilisation { counter: Some((name, full)) } => {
                format!("GPU by its utilisation: the counter {name:?}, of {full}")
            }
            Self::GpuByUtilisation { counter: None } => {
                "GPU by its utilisation: the time its work kept it busy".to_owned()
            }
            Self::GpuUtilisationGaps { counter, gaps } => {
                let times = if *gaps == 1 { "once".to_owned() } else { format!("{gaps} times") };
                format!(
                    "samples of {counter:?} are more than 10 s apart {times}: the GPU is not estimated between them"
                )
            }
            Self::GpuUtilisationUnusable { counter, highest } => format!(
                "the counter {counter:?} is taken for the GPU's utilisation, but expected are at most 100 or 255, found \
                 {highest}: it is not used"
            ),
            _ => String::new(),
        }
    }
}

impl NoModel {
    fn text(&self) -> String {
        let text = match self {
            Self::OtherKind { models } => {
                return format!(
                    "no device model of the requested kind applies to this device, so no CPU energy is modelled; of the \
                     other kind there is {}: try --model auto",
                    models.join(", ")
                );
            }
            Self::Emulator(emulator) => {
                return format!(
                    "the recording is of an emulator ({}), whose energy is that of the computer under it: no energy is \
                     estimated; give a model with --device-model",
                    emulator.title()
                );
            }
            Self::Architecture { architecture, cpus } => {
                let plural = if *cpus == 1 { "" } else { "s" };
                return format!(
                    "no device model is for a device like this one ({}, {cpus} CPU{plural}), so no CPU energy is modelled; give \
                     one with --device-model",
                    architecture.title()
                );
            }
            Self::NoRails => {
                "the recording has no power rails, so nothing was measured; try --model auto"
            }
            Self::NoProfile => {
                "no power profile applies to this device, so no CPU energy is estimated; give one with --device-model"
            }
            Self::AndroidPlaceholder => {
                "Android's own estimate in the recording rests on the default power profile, whose figures were measured on no device; \
                 give the device's with --device-model"
            }
            Self::NoAndroidEstimate => {
                "the recording has no estimate of Android's own (dumpsys batterystats or batteryusagestats); try --model auto"
            }
            Self::Nothing => {
                "no device model applies to this device, so no CPU energy is modelled; give one with --device-model"
            }
        };
        text.to_owned()
    }
}

/// The energy with its unit: in joules, below one joule in millijoules.
fn energy_text(joules: Joules) -> String {
    if joules.value() < 1.0 {
        format!("{:.0} mJ", joules.millijoules())
    } else {
        format!("{:.2} J", joules.value())
    }
}

fn listed(components: &BTreeSet<Component>) -> String {
    components.iter().map(Component::name).collect::<Vec<_>>().join(", ")
}
