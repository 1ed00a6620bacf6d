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

#[cfg(test)]
mod tests {
    use wattle_timeline::SocTopology;
    use wattle_wire::Writer;

    use super::*;

    /// A row of a table: numbers first, powers after them.
    fn row(to: &mut Writer, field: u32, numbers: &[u64], powers: &[f64]) {
        to.message(field, |row| {
            let mut field = 0;
            for number in numbers {
                field += 1;
                row.varint(field, *number);
            }
            for power in powers {
                field += 1;
                row.double(field, *power);
            }
        });
    }

    /// The tables of a model, in the fields of a draft of the message.
    fn tables(to: &mut Writer, [cpu, dependent, gpu, l3, tpu]: [u32; 5], active: f64) {
        row(to, cpu, &[0, 1_000_000], &[5.5, active, 1.25, 0.125]);
        row(to, dependent, &[7, 3_000_000, 4, 2_000_000], &[25.0, 350.0, 2.5, 0.25, 18.0]);
        row(to, gpu, &[800_000], &[280.0, 6.0, 1.5]);
        row(to, l3, &[1_500_000, 4, 2_000_000], &[0.5, 0.25]);
        row(to, tpu, &[0, 1, 1_200_000], &[420.0]);
    }

    const NOW: [u32; 5] = [16, 17, 18, 19, 20];
    const EARLIER: [u32; 5] = [8, 9, 11, 10, 12];

    fn expected(active: f64) -> SocModel {
        SocModel {
            cpu: vec![
                SocCpuPoint {
                    khz: 1_000_000,
                    shared: 5.5,
                    active,
                    idle: [1.25, 0.125],
                    ..SocCpuPoint::default()
                },
                SocCpuPoint {
                    policy: 7,
                    khz: 3_000_000,
                    on: Some(SocDependency { policy: 4, khz: 2_000_000 }),
                    shared: 25.0,
                    active: 350.0,
                    idle: [2.5, 0.25],
                    interconnect: 18.0,
                },
            ],
            l3: vec![SocL3Point {
                khz: 1_500_000,
                on: SocDependency { policy: 4, khz: 2_000_000 },
                hit: 0.5,
                miss: 0.25,
            }],
            gpu: vec![SocGpuPoint { khz: 800_000, by_state: [1.5, 6.0, 280.0] }],
            tpu: vec![SocTpuPoint { cluster: 0, requests: 1, khz: 1_200_000, active: 420.0 }],
            ..SocModel::default()
        }
    }

    #[track_caller]
    fn check(write: impl FnOnce(&mut Writer), expected: &SocModel) {
        let mut bytes = Writer::new();
        write(&mut bytes);
        assert_eq!(soc_model(bytes.as_bytes()), *expected);
    }

    #[test]
    fn tables_are_read_from_both_drafts() {
        check(|to| tables(to, NOW, 45.0), &expected(45.0));
        check(|to| tables(to, EARLIER, 45.0), &expected(45.0));
        let both = |to: &mut Writer| {
            tables(to, EARLIER, 44.0);
            tables(to, NOW, 45.0);
        };
        check(both, &expected(45.0));
        check(|_| {}, &SocModel::default());
    }

    #[test]
    fn names_and_topology_are_read() {
        let write = |to: &mut Writer| {
            to.string(1, "Tensor G6");
            to.string(2, "pixel11_pro");
            to.varint(3, 3);
            to.varint(4, 12);
            to.string(5, "Google");
            to.message(6, |topology| {
                topology.message(1, |cpu| {
                    cpu.varint(1, 7);
                    cpu.varint(2, 7);
                    cpu.varint(3, 200_000);
                    cpu.bool(4, true);
                });
                topology.message(1, |cpu| cpu.int(1, -1));
                topology.message(2, |policy| {
                    policy.varint(1, 7);
                    policy.bool(3, false);
                });
                topology.message(3, |idle| {
                    idle.int(1, 2);
                    idle.int(2, -1);
                });
                topology.bool(4, true);
            });
            to.varint(7, 0);
        };
        let exit = Some(200_000);
        let first = SocCpu { cpu: 7, policy: 7, deep_idle_exit: exit, votes_by_clock: Some(true) };
        let expected = SocModel {
            name: "Tensor G6".to_owned(),
            variant: "pixel11_pro".to_owned(),
            vendor: "Google".to_owned(),
            origin: SocModelOrigin::DeviceMaker,
            version: 12,
            gpu_id: Some(0),
            topology: SocTopology {
                cpus: vec![first, SocCpu { cpu: -1, ..SocCpu::default() }],
                policies: vec![SocPolicy {
                    policy: 7,
                    deep_idle_exit: None,
                    votes_by_clock: Some(false),
                }],
                idle_states: vec![(2, -1)],
                uses_devfreq: true,
            },
            ..SocModel::default()
        };
        check(write, &expected);
    }

    #[test]
    fn what_is_too_long_or_damaged_is_counted() {
        let mut long = Writer::new();
        for _ in 0..MAX_SOC_ROWS + 5 {
            long.message(16, |row| row.varint(1, 0));
        }
        long.string(1, &"x".repeat(MAX_SOC_TEXT + 1));
        let model = soc_model(long.as_bytes());
        assert_eq!((model.cpu.len(), model.dropped), (MAX_SOC_ROWS, 5));
        assert_eq!(model.name.len(), MAX_SOC_TEXT);

        let mut bytes = Writer::new();
        tables(&mut bytes, NOW, 45.0);
        let bytes = bytes.into_bytes();
        for end in 0..bytes.len() {
            let model = soc_model(&bytes[..end]);
            let rows = model.cpu.len() + model.gpu.len() + model.l3.len() + model.tpu.len();
            assert!(rows < 5 && model.dropped <= 1, "{end}: {model:?}");
        }
    }
}
