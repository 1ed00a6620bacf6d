//! `UidProto`.

use wattle_timeline::{Quantity, Uid};
use wattle_wire::Field;

use super::controller::Controller;
use super::proto_reader::{Reader, each, text};
use super::uid_text::package_of;

/// Reads one uid.
pub(crate) fn read(bytes: &[u8], reader: &mut Reader<'_>) {
    let mut uid = None;
    each(bytes, &mut |field| {
        if field.number == 1 {
            uid = Uid::of_number(field.value.int());
        }
    });
    let Some(uid) = uid else {
        reader.found.counts.unparsed += 1;
        return;
    };
    let mut partial_ms: Option<i64> = None;
    reader.fields(bytes, &mut |reader, field| match field.number {
        25 => {
            if let Some(ms) = wakelock(field.value.bytes(), uid, reader) {
                partial_ms = Some(partial_ms.unwrap_or(0).saturating_add(ms));
            }
        }
        _ => of_uid(field, uid, reader),
    });
    if let Some(ms) = partial_ms {
        reader.found.time(Quantity::Wakelock, Some(uid), None, ms);
    }
}

fn of_uid(field: Field<'_>, uid: Uid, reader: &mut Reader<'_>) {
    let bytes = field.value.bytes();
    let timers = [
        (8, Quantity::Audio),
        (9, Quantity::Camera),
        (10, Quantity::Flashlight),
        (11, Quantity::Foreground),
        (14, Quantity::Video),
        (28, Quantity::WifiMulticast),
    ];
    match field.number {
        1 => {}
        2 => reader.fields(bytes, &mut |reader, field| {
            if field.number == 1 {
                let name = reader.names.intern(&text(field.value.bytes()));
                (reader.packages)(package_of(name, uid));
            }
        }),
        3 => reader.controller(Controller::Bluetooth, Some(uid), bytes),
        4 => reader.controller(Controller::Modem, Some(uid), bytes),
        5 => reader.controller(Controller::Wifi, Some(uid), bytes),
        6 => reader.fields(bytes, &mut |reader, field| {
            if field.number == 1 {
                let (ms, _) = reader.timer(field.value.bytes());
                reader.found.time(Quantity::BluetoothScan, Some(uid), None, ms);
            }
        }),
        7 => cpu(bytes, uid, reader),
        15 => named(bytes, Quantity::Job, uid, reader),
        17 => network(bytes, uid, reader),
        18 => estimate(bytes, uid, reader),
        20 => state(bytes, uid, reader),
        21 => sensor(bytes, uid, reader),
        22 => named(bytes, Quantity::Sync, uid, reader),
        26 => alarm(bytes, uid, reader),
        27 => reader.fields(bytes, &mut |reader, field| match field.number {
            2 => reader.found.time(Quantity::WifiRunning, Some(uid), None, field.value.int()),
            3 => {
                let (ms, _) = reader.timer(field.value.bytes());
                reader.found.time(Quantity::WifiScan, Some(uid), None, ms);
            }
            _ => {}
        }),
        number => match timers.iter().find(|(known, _)| *known == number) {
            Some((_, quantity)) => {
                let (ms, _) = reader.timer(bytes);
                reader.found.time(*quantity, Some(uid), None, ms);
            }
            None => reader.found.unread(&format!("UidProto.{number}")),
        },
    }
}

fn cpu(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    let (mut user, mut system) = (0, 0);
    reader.fields(bytes, &mut |reader, field| match field.number {
        1 => user = field.value.int(),
        2 => system = field.value.int(),
        3 => {
            let (mut index, mut ms) = (0, 0);
            reader.fields(field.value.bytes(), &mut |_, field| match field.number {
                1 => index = field.value.int(),
                2 => ms = field.value.int(),
                _ => {}
            });
            // Indices count from one.
            let step = usize::try_from(index - 1).ok().and_then(|at| reader.steps.get(at)).copied();
            match step {
                Some((cluster, step)) if ms != 0 => {
                    let at = Quantity::CpuAt { cluster, step };
                    reader.found.time(at, Some(uid), None, ms);
                }
                Some(_) => {}
                None => reader.found.unread("times of clocks that are not named"),
            }
        }
        _ => {}
    });
    reader.found.time(Quantity::Cpu, Some(uid), None, user.saturating_add(system));
}

fn network(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    const QUANTITIES: [Quantity; 10] = [
        Quantity::CellReceivedBytes,
        Quantity::CellSentBytes,
        Quantity::WifiReceivedBytes,
        Quantity::WifiSentBytes,
        Quantity::BluetoothReceivedBytes,
        Quantity::BluetoothSentBytes,
        Quantity::CellReceivedPackets,
        Quantity::CellSentPackets,
        Quantity::WifiReceivedPackets,
        Quantity::WifiSentPackets,
    ];
    reader.fields(bytes, &mut |reader, field| {
        let value = field.value.int();
        let index = (field.number as usize).wrapping_sub(1);
        match (QUANTITIES.get(index), field.number) {
            (Some(quantity), _) => reader.found.total(*quantity, Some(uid), None, value as f64),
            (None, 11) => reader.found.time(Quantity::CellActive, Some(uid), None, value),
            (None, 12) => {
                reader.found.total(Quantity::CellActiveCount, Some(uid), None, value as f64);
            }
            _ => {}
        }
    });
}

fn estimate(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    reader.fields(bytes, &mut |reader, field| {
        let (tag, is_smeared) = match field.number {
            1 => ("uid", false),
            3 => ("screen-smeared", true),
            4 => ("proportional-smeared", true),
            _ => return,
        };
        let value = field.value.float();
        if value != 0.0 || !is_smeared {
            let tag = Some(reader.names.intern(tag));
            reader.found.total(Quantity::EstimatedCharge, Some(uid), tag, value);
        }
    });
}

fn state(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    let (mut state, mut ms) = (0, 0);
    reader.fields(bytes, &mut |_, field| match field.number {
        1 => state = field.value.int(),
        2 => ms = field.value.int(),
        _ => {}
    });
    if let Ok(state @ 0..=6) = u8::try_from(state) {
        reader.found.time(Quantity::ProcessState(state), Some(uid), None, ms);
    }
}

fn sensor(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    let (mut handle, mut ms) = (0, None);
    reader.fields(bytes, &mut |reader, field| match field.number {
        1 => handle = field.value.int(),
        2 => ms = Some(reader.timer(field.value.bytes()).0),
        _ => {}
    });
    let quantity = match i32::try_from(handle) {
        Ok(-10_000) => Quantity::Gnss,
        Ok(handle) => Quantity::Sensor(handle),
        Err(_) => return,
    };
    if let Some(ms) = ms {
        reader.found.time(quantity, Some(uid), None, ms);
    }
}

/// A message of a name and a `TimerProto`.
fn named(bytes: &[u8], quantity: Quantity, uid: Uid, reader: &mut Reader<'_>) {
    let (mut name, mut ms) = (&b""[..], None);
    reader.fields(bytes, &mut |reader, field| match field.number {
        1 => name = field.value.bytes(),
        2 => ms = Some(reader.timer(field.value.bytes()).0),
        _ => {}
    });
    if let Some(ms) = ms {
        let tag = Some(reader.names.intern(&text(name)));
        reader.found.time(quantity, Some(uid), tag, ms);
    }
}

/// Says the wakelock; milliseconds of it as a partial one.
fn wakelock(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) -> Option<i64> {
    let (mut name, mut partial) = (&b""[..], None);
    reader.fields(bytes, &mut |reader, field| match field.number {
        1 => name = field.value.bytes(),
        3 => partial = Some(reader.timer(field.value.bytes())),
        _ => {}
    });
    let (ms, count) = partial?;
    let tag = Some(reader.names.intern(&text(name)));
    reader.found.time(Quantity::Wakelock, Some(uid), tag, ms);
    reader.found.total(Quantity::WakelockCount, Some(uid), tag, count as f64);
    Some(ms)
}

fn alarm(bytes: &[u8], uid: Uid, reader: &mut Reader<'_>) {
    let (mut name, mut count) = (&b""[..], 0);
    reader.fields(bytes, &mut |_, field| match field.number {
        1 => name = field.value.bytes(),
        2 => count = field.value.int(),
        _ => {}
    });
    let tag = Some(reader.names.intern(&text(name)));
    reader.found.total(Quantity::AlarmWakeups, Some(uid), tag, count as f64);
}
