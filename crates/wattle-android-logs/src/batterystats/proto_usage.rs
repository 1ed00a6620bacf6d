//! `BatteryUsageStatsAtomsProto` (`dumpsys batterystats --usage --proto`, Android 12 on): charges by component, of the device and of
//! uids. Field numbers of `frameworks/proto_logging/stats/atoms.proto`.

use wattle_timeline::{Quantity, Uid};

use super::dump_findings::Wall;
use super::proto_reader::Reader;

/// Charges are in tenths of a coulomb: 3.6 C are a milliampere-hour.
const DECICOULOMBS: f64 = 36.0;

/// `BatteryConsumer.POWER_COMPONENT_*`, as Android names them.
const COMPONENTS: [&str; 19] = [
    "screen",
    "cpu",
    "bluetooth",
    "camera",
    "audio",
    "video",
    "flashlight",
    "system_services",
    "mobile_radio",
    "sensors",
    "gnss",
    "wifi",
    "wakelock",
    "memory",
    "phone",
    "ambient_display",
    "idle",
    "reattributed",
    "base",
];

/// Reads the message.
pub(crate) fn read(bytes: &[u8], reader: &mut Reader<'_>) {
    reader.found.begin_summary();
    reader.fields(bytes, &mut |reader, field| {
        let value = field.value.int();
        match field.number {
            1 => {
                if let Some(summary) = reader.found.summary() {
                    summary.start = Some(Wall { ms: value, is_local: false, step_ms: 1 });
                }
            }
            3 => {
                if let Some(summary) = reader.found.summary() {
                    summary.length_ms = Some(value);
                }
            }
            4 => consumer(field.value.bytes(), None, reader),
            5 => of_uid(field.value.bytes(), reader),
            7 => reader.found.time(Quantity::OnBattery, None, None, value),
            _ => {}
        }
    });
}

/// `UidBatteryConsumer`.
fn of_uid(bytes: &[u8], reader: &mut Reader<'_>) {
    let (mut uid, mut data, mut foreground, mut background) = (None, None, None, None);
    reader.fields(bytes, &mut |_, field| match field.number {
        1 => uid = Uid::of_number(field.value.int()),
        2 => data = Some(field.value.bytes()),
        3 => foreground = Some(field.value.int()),
        4 => background = Some(field.value.int()),
        _ => {}
    });
    let Some(uid) = uid else {
        reader.found.counts.unparsed += 1;
        return;
    };
    if let Some(data) = data {
        consumer(data, Some(uid), reader);
    }
    for (quantity, ms) in
        [(Quantity::ProcessState(2), foreground), (Quantity::ProcessState(3), background)]
    {
        if let Some(ms) = ms {
            reader.found.time(quantity, Some(uid), None, ms);
        }
    }
}

/// `BatteryConsumerData`.
fn consumer(bytes: &[u8], uid: Option<Uid>, reader: &mut Reader<'_>) {
    reader.fields(bytes, &mut |reader, field| match field.number {
        1 => {
            let tag = Some(reader.names.intern(if uid.is_some() { "uid" } else { "total" }));
            let charge = field.value.int() as f64 / DECICOULOMBS;
            reader.found.total(Quantity::EstimatedCharge, uid, tag, charge);
        }
        2 => {
            let (mut component, mut charge) = (0, 0);
            reader.fields(field.value.bytes(), &mut |_, field| match field.number {
                1 => component = field.value.int(),
                2 => charge = field.value.int(),
                _ => {}
            });
            let known = usize::try_from(component).ok().and_then(|at| COMPONENTS.get(at));
            let name = known.map_or_else(|| format!("component {component}"), ToString::to_string);
            let tag = Some(reader.names.intern(&name));
            let charge = charge as f64 / DECICOULOMBS;
            reader.found.total(Quantity::EstimatedCharge, uid, tag, charge);
        }
        // Parts of the same by state of processes.
        3 => reader.found.unread("slices by process state"),
        _ => {}
    });
}
