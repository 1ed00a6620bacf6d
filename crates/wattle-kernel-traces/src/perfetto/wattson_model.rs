//! Power models of SoCs that a trace contains (`WattsonSocModel`).
//!
//! Perfetto's Wattson is to read them from the trace instead of its own library: google/perfetto pull request 7335
//! ("Support dynamic out-of-tree (OOT) Wattson SoC power models", 2026-09-03, open when this was written). The message is
//! `protos/third_party/android/frameworks/base/proto/tracing/wattson_soc_model.proto` there, of which two states are
//! public: commit 19a7f015, with the tables in fields 16 to 20, and commit 7a7a181f, which also has them in fields 8 to 12, for
//! readers of an earlier draft. Both are read; as in Perfetto's own reader of the earlier state
//! (`wattson_soc_model_module.cc`), a table of fields 8 to 12 counts only where the trace has none in 16 to 20. The number
//! 1004 of the packet is that of the pull request's text; the released `frameworks_base_trace_packet.proto` ends at 1003.
//!
//! # Quirks
//!
//! - The fields of the L3 cache are named after milliwatts and hold nanojoules: Wattson's SQL (`cpu/estimates.sql`)
//!   multiplies them by a count of events and 1000, and divides by nanoseconds.
//! - Policy 255 is the DynamIQ shared unit, as in Wattson's tables.

use wattle_timeline::{
    Severity, SocCpu, SocCpuPoint, SocDependency, SocGpuPoint, SocL3Point, SocModel,
    SocModelOrigin, SocPolicy, SocTpuPoint,
};
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::limits::{MAX_SOC_ROWS, MAX_SOC_TEXT};

/// `WattsonSocModel`.
mod model {
    pub const DEVICE_NAME: u32 = 1;
    pub const MODEL_VARIANT: u32 = 2;
    pub const MODEL_SOURCE: u32 = 3;
    pub const MODEL_VERSION: u32 = 4;
    pub const VENDOR_NAME: u32 = 5;
    pub const CPU_TOPOLOGY: u32 = 6;
    pub const GPU_ID: u32 = 7;
    pub const CPU_1D: u32 = 16;
    pub const CPU_2D: u32 = 17;
    pub const GPU: u32 = 18;
    pub const L3: u32 = 19;
    pub const TPU: u32 = 20;
    /// The numbers of tables in the earlier draft, and their present ones.
    pub const EARLIER: [(u32, u32); 5] = [(8, CPU_1D), (9, CPU_2D), (10, L3), (11, GPU), (12, TPU)];
}

/// `WattsonCpuTopology`.
mod topology {
    pub const CPU_MAP: u32 = 1;
    pub const POLICY_CONFIGS: u32 = 2;
    pub const IDLE_STATE_MAP: u32 = 3;
    pub const USE_DEVFREQ: u32 = 4;
}

/// `WattsonSocModel.ModelSource`.
const fn origin(number: i64) -> SocModelOrigin {
    match number {
        1 => SocModelOrigin::Builtin,
        2 => SocModelOrigin::SocVendor,
        3 => SocModelOrigin::DeviceMaker,
        _ => SocModelOrigin::Unknown,
    }
}

impl Reader<'_> {
    /// `WattsonSocModel`.
    pub(super) fn wattson_model(&mut self, offset: u64, bytes: &[u8]) {
        let model = soc_model(bytes);
        if model.dropped > 0 {
            let dropped = model.dropped;
            self.counts.note(Severity::Warning, "soc-model-incomplete", Some(offset), || {
                format!(
                    "a SoC power model is damaged, or larger than that of any device: {dropped} {} not read",
                    if dropped == 1 { "entry was" } else { "entries were" }
                )
            });
        }
        self.builder.soc_model(model);
    }
}

fn soc_model(bytes: &[u8]) -> SocModel {
    let mut entries = Entries::default();
    let mut soc = SocModel::default();
    let numbers: Vec<u32> = model::EARLIER.map(|(_, number)| number).into();
    let present: Vec<u32> =
        numbers.into_iter().filter(|number| Fields::find(bytes, *number).is_some()).collect();
    for (number, value) in entries.fields(bytes) {
        let moved = model::EARLIER.iter().find(|(earlier, _)| *earlier == number);
        let number = match moved {
            Some((_, number)) if present.contains(number) => continue,
            Some((_, number)) => *number,
            None => number,
        };
        match number {
            model::DEVICE_NAME => soc.name = text(value),
            model::MODEL_VARIANT => soc.variant = text(value),
            model::MODEL_SOURCE => soc.origin = origin(value.int()),
            model::MODEL_VERSION => soc.version = value.uint() as u32,
            model::VENDOR_NAME => soc.vendor = text(value),
            model::CPU_TOPOLOGY => cpu_topology(&mut soc, value.bytes(), &mut entries),
            model::GPU_ID => soc.gpu_id = Some(value.int() as i32),
            model::CPU_1D => entries.add(&mut soc.cpu, value, cpu_point),
            model::CPU_2D => entries.add(&mut soc.cpu, value, dependent_point),
            model::GPU => entries.add(&mut soc.gpu, value, gpu_point),
            model::L3 => entries.add(&mut soc.l3, value, l3_point),
            model::TPU => entries.add(&mut soc.tpu, value, tpu_point),
            _ => {}
        }
    }
    soc.dropped = entries.dropped;
    soc
}

fn cpu_topology(soc: &mut SocModel, bytes: &[u8], entries: &mut Entries) {
    let into = &mut soc.topology;
    for (number, value) in entries.fields(bytes) {
        match number {
            topology::CPU_MAP => entries.add(&mut into.cpus, value, soc_cpu),
            topology::POLICY_CONFIGS => entries.add(&mut into.policies, value, soc_policy),
            topology::IDLE_STATE_MAP => entries.add(&mut into.idle_states, value, idle_state),
            topology::USE_DEVFREQ => into.uses_devfreq = value.bool(),
            _ => {}
        }
    }
}

/// Entries of tables that were read, and those that were not.
#[derive(Default)]
struct Entries {
    read: usize,
    dropped: u64,
}

impl Entries {
    /// The fields of a message, up to a defect, which is counted.
    fn fields<'a>(&mut self, bytes: &'a [u8]) -> impl Iterator<Item = (u32, Value<'a>)> + use<'a> {
        let is_damaged = Fields::new(bytes).any(|field| field.is_err());
        self.dropped += u64::from(is_damaged);
        let fields = Fields::new(bytes).map_while(Result::ok);
        fields.map(|field| (field.number, field.value))
    }

    /// Reads an entry of a table, by its fields.
    fn add<T: Default>(
        &mut self,
        into: &mut Vec<T>,
        value: Value<'_>,
        read: fn(&mut T, u32, Value<'_>),
    ) {
        if self.read >= MAX_SOC_ROWS {
            self.dropped += 1;
            return;
        }
        self.read += 1;
        let mut entry = T::default();
        for (number, value) in self.fields(value.bytes()) {
            read(&mut entry, number, value);
        }
        into.push(entry);
    }
}

/// A name, cut where it is longer than any name.
fn text(value: Value<'_>) -> String {
    let bytes = value.bytes();
    let bytes = bytes.get(..MAX_SOC_TEXT).unwrap_or(bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

fn soc_cpu(cpu: &mut SocCpu, number: u32, value: Value<'_>) {
    match number {
        1 => cpu.cpu = value.int() as i32,
        2 => cpu.policy = value.int() as i32,
        3 => cpu.deep_idle_exit = Some(value.int()),
        4 => cpu.votes_by_clock = Some(value.bool()),
        _ => {}
    }
}

fn soc_policy(policy: &mut SocPolicy, number: u32, value: Value<'_>) {
    match number {
        1 => policy.policy = value.int() as i32,
        2 => policy.deep_idle_exit = Some(value.int()),
        3 => policy.votes_by_clock = Some(value.bool()),
        _ => {}
    }
}

fn idle_state(state: &mut (i64, i64), number: u32, value: Value<'_>) {
    match number {
        1 => state.0 = value.int(),
        2 => state.1 = value.int(),
        _ => {}
    }
}

/// `WattsonCpu1DCurve`.
fn cpu_point(point: &mut SocCpuPoint, number: u32, value: Value<'_>) {
    match number {
        1 => point.policy = value.uint() as u32,
        2 => point.khz = value.uint() as u32,
        3 => point.shared = value.float(),
        4 => point.active = value.float(),
        5 => point.idle[0] = value.float(),
        6 => point.idle[1] = value.float(),
        _ => {}
    }
}

/// `WattsonCpu2DCurve`.
fn dependent_point(point: &mut SocCpuPoint, number: u32, value: Value<'_>) {
    let on = point.on.get_or_insert_default();
    match number {
        1 => point.policy = value.uint() as u32,
        2 => point.khz = value.uint() as u32,
        3 => on.policy = value.uint() as u32,
        4 => on.khz = value.uint() as u32,
        5 => point.shared = value.float(),
        6 => point.active = value.float(),
        7 => point.idle[0] = value.float(),
        8 => point.idle[1] = value.float(),
        9 => point.interconnect = value.float(),
        _ => {}
    }
}

/// `WattsonGpuCurve`.
fn gpu_point(point: &mut SocGpuPoint, number: u32, value: Value<'_>) {
    let [off, gated, on] = &mut point.by_state;
    match number {
        1 => point.khz = value.uint() as u32,
        2 => *on = value.float(),
        3 => *gated = value.float(),
        4 => *off = value.float(),
        _ => {}
    }
}

/// `WattsonL3Curve`.
fn l3_point(point: &mut SocL3Point, number: u32, value: Value<'_>) {
    let SocDependency { policy, khz } = &mut point.on;
    match number {
        1 => point.khz = value.uint() as u32,
        2 => *policy = value.uint() as u32,
        3 => *khz = value.uint() as u32,
        4 => point.hit = value.float(),
        5 => point.miss = value.float(),
        _ => {}
    }
}

/// `WattsonTpuCurve`.
fn tpu_point(point: &mut SocTpuPoint, number: u32, value: Value<'_>) {
    match number {
        1 => point.cluster = value.uint() as u32,
        2 => point.requests = value.uint() as u32,
        3 => point.khz = value.uint() as u32,
        4 => point.active = value.float(),
        _ => {}
    }
}
