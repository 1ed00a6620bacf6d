//! `BatteryStatsServiceDumpProto` (`dumpsys batterystats --proto`) and `BatteryStatsServiceDumpHistoryProto` (`--proto
//! --history`): field numbers of `core/proto/android/os/batterystats.proto` and `core/proto/android/service/batterystats.proto`.

use wattle_timeline::{Names, Package, Quantity, Uid};
use wattle_wire::{Field, Fields, PackedVarints};

use super::controller::{Activity, Controller};
use super::dump_findings::{Findings, Form, Wall};
use super::history_checkin::CheckinHistory;
use super::proto_reader::{Reader, each, text};
use super::proto_uid;
use super::uid_text::steps_of;

impl Reader<'_> {
    pub fn fields<'a>(&mut self, bytes: &'a [u8], take: &mut dyn FnMut(&mut Self, Field<'a>)) {
        let is_whole = each(bytes, &mut |field| take(self, field));
        if !is_whole {
            self.found.counts.cut += 1;
        }
    }

    /// The `duration_ms` of a `TimerProto`, and its count.
    pub fn timer(&mut self, bytes: &[u8]) -> (i64, i64) {
        let (mut duration, mut count) = (0, 0);
        self.fields(bytes, &mut |_, field| match field.number {
            1 => duration = field.value.int(),
            2 => count = field.value.int(),
            _ => {}
        });
        (duration, count)
    }

    /// A `ControllerActivityProto`.
    pub fn controller(&mut self, radio: Controller, uid: Option<Uid>, bytes: &[u8]) {
        let mut activity = Activity::default();
        self.fields(bytes, &mut |reader, field| match field.number {
            1 => activity.idle_ms = field.value.int(),
            2 => activity.receive_ms = field.value.int(),
            3 => activity.charge = field.value.int() as f64,
            4 => {
                let (mut level, mut duration) = (0_usize, 0);
                reader.fields(field.value.bytes(), &mut |_, field| match field.number {
                    1 => level = usize::try_from(field.value.int()).unwrap_or(usize::MAX),
                    2 => duration = field.value.int(),
                    _ => {}
                });
                // Modems have five.
                if level < 16 {
                    if activity.transmit_ms.len() <= level {
                        activity.transmit_ms.resize(level + 1, 0);
                    }
                    if let Some(slot) = activity.transmit_ms.get_mut(level) {
                        *slot = duration;
                    }
                }
            }
            5 => activity.rail = field.value.float(),
            _ => {}
        });
        let rail = self.names.intern(radio.rail());
        activity.say(radio, uid, rail, self.found);
    }

    fn global_time(&mut self, quantity: Quantity, ms: i64) {
        self.found.time(quantity, None, None, ms);
    }

    /// `SystemProto.Battery`.
    fn battery(&mut self, bytes: &[u8]) {
        self.fields(bytes, &mut |reader, field| {
            let value = field.value.int();
            let mut capacity = |tag: &str, mah: f64| {
                if mah > 0.0 {
                    let tag = Some(reader.names.intern(tag));
                    reader.found.total(Quantity::BatteryCapacity, None, tag, mah);
                }
            };
            match field.number {
                1 => {
                    if let Some(summary) = reader.found.summary() {
                        let wall = Wall { ms: value, is_local: false, step_ms: 1 };
                        summary.start = Some(wall).filter(|wall| wall.ms > 0);
                    }
                }
                3 => {
                    if let Some(summary) = reader.found.summary() {
                        summary.length_ms = Some(value);
                    }
                }
                5 => reader.global_time(Quantity::OnBattery, value),
                6 => reader.global_time(Quantity::OnBatteryAwake, value),
                7 => reader.global_time(Quantity::ScreenOff, value),
                8 => reader.global_time(Quantity::ScreenOffAwake, value),
                9 => reader.global_time(Quantity::ScreenDoze, value),
                10 => capacity("estimated", value as f64),
                11 => capacity("learned-min", value as f64 / 1000.0),
                12 => capacity("learned-max", value as f64 / 1000.0),
                _ => {}
            }
        });
    }

    /// `SystemProto.BatteryDischarge`.
    fn discharge(&mut self, bytes: &[u8]) {
        self.fields(bytes, &mut |reader, field| {
            let tag = match field.number {
                6 => None,
                7 => Some("screen-off"),
                8 => Some("screen-doze"),
                9 => Some("light-doze"),
                10 => Some("deep-doze"),
                _ => return,
            };
            let tag = tag.map(|tag| reader.names.intern(tag));
            let value = field.value.int() as f64;
            reader.found.total(Quantity::BatteryCharge, None, tag, value);
        });
    }

    /// A message of a level and a `TimerProto`.
    fn level(&mut self, bytes: &[u8], quantity: fn(u8) -> Quantity) {
        let (mut level, mut duration) = (0, None);
        self.fields(bytes, &mut |reader, field| match field.number {
            1 => level = field.value.int(),
            2 => duration = Some(reader.timer(field.value.bytes()).0),
            _ => {}
        });
        if let (Ok(level), Some(ms)) = (u8::try_from(level), duration) {
            self.global_time(quantity(level), ms);
        }
    }

    /// `SystemProto.Misc`.
    fn misc(&mut self, bytes: &[u8]) {
        self.fields(bytes, &mut |reader, field| {
            let value = field.value.int();
            match field.number {
                1 => reader.global_time(Quantity::Screen, value),
                2 => reader.global_time(Quantity::PhoneCall, value),
                4 => reader.global_time(Quantity::Wakelock, value),
                5 => reader.global_time(Quantity::CellActive, value),
                7 => reader.found.total(Quantity::CellActiveCount, None, None, value as f64),
                _ => {}
            }
        });
    }

    /// `SystemProto.GlobalNetwork`.
    fn network(&mut self, bytes: &[u8]) {
        const QUANTITIES: [Quantity; 10] = [
            Quantity::CellReceivedBytes,
            Quantity::CellSentBytes,
            Quantity::WifiReceivedBytes,
            Quantity::WifiSentBytes,
            Quantity::CellReceivedPackets,
            Quantity::CellSentPackets,
            Quantity::WifiReceivedPackets,
            Quantity::WifiSentPackets,
            Quantity::BluetoothReceivedBytes,
            Quantity::BluetoothSentBytes,
        ];
        self.fields(bytes, &mut |reader, field| {
            let index = (field.number as usize).wrapping_sub(1);
            if let Some(quantity) = QUANTITIES.get(index) {
                reader.found.total(*quantity, None, None, field.value.int() as f64);
            }
        });
    }

    /// `SystemProto.PowerUseItem`.
    fn estimate(&mut self, bytes: &[u8]) {
        /// `Sipper`, by what check-in lines call them.
        const SIPPERS: [&str; 14] = [
            "???",
            "idle",
            "cell",
            "phone",
            "wifi",
            "blue",
            "flashlight",
            "scrn",
            "user",
            "unacc",
            "over",
            "camera",
            "memory",
            "ambi",
        ];
        let (mut sipper, mut charge) = (0, None);
        self.fields(bytes, &mut |_, field| match field.number {
            1 => sipper = field.value.int(),
            3 => charge = Some(field.value.float()),
            _ => {}
        });
        let name = usize::try_from(sipper).ok().and_then(|sipper| SIPPERS.get(sipper));
        if let (Some(name), Some(charge)) = (name, charge) {
            let tag = Some(self.names.intern(name));
            self.found.total(Quantity::EstimatedCharge, None, tag, charge);
        }
    }

    /// `SystemProto.PowerUseSummary`.
    fn estimates(&mut self, bytes: &[u8]) {
        self.fields(bytes, &mut |reader, field| {
            let (quantity, tag) = match field.number {
                1 => (Quantity::BatteryCapacity, None),
                2 => (Quantity::EstimatedCharge, Some("total")),
                3 => (Quantity::BatteryCharge, Some("drain-min")),
                4 => (Quantity::BatteryCharge, Some("drain-max")),
                _ => return,
            };
            let tag = tag.map(|tag| reader.names.intern(tag));
            reader.found.total(quantity, None, tag, field.value.float());
        });
    }

    /// `SystemProto`.
    fn system(&mut self, bytes: &[u8]) {
        self.fields(bytes, &mut |reader, field| {
            let bytes = field.value.bytes();
            match field.number {
                1 => reader.battery(bytes),
                2 => reader.discharge(bytes),
                9 => reader.controller(Controller::Bluetooth, None, bytes),
                10 => reader.controller(Controller::Modem, None, bytes),
                11 => reader.controller(Controller::Wifi, None, bytes),
                12 => reader.network(bytes),
                13 => reader.fields(bytes, &mut |reader, field| match field.number {
                    1 => reader.global_time(Quantity::Wifi, field.value.int()),
                    2 => reader.global_time(Quantity::WifiRunning, field.value.int()),
                    _ => {}
                }),
                15 => reader.misc(bytes),
                16 => reader.level(bytes, Quantity::CellSignal),
                17 => reader.estimate(bytes),
                18 => reader.estimates(bytes),
                20 => reader.level(bytes, Quantity::ScreenClass),
                21 => {
                    let (ms, _) = reader.timer(bytes);
                    reader.global_time(Quantity::CellScan, ms);
                }
                7 => {}
                other => reader.found.unread(&format!("SystemProto.{other}")),
            }
        });
    }
}

/// Reads `BatteryStatsProto`.
fn statistics(bytes: &[u8], reader: &mut Reader<'_>) {
    reader.found.begin_summary();
    // Uids come before the system, whose clocks they need.
    let mut clocks = Vec::new();
    each(bytes, &mut |field| {
        if field.number == 6 {
            each(field.value.bytes(), &mut |field| {
                if field.number == 7 {
                    let all: PackedVarints<'_> = field.value.varints();
                    clocks.extend(all.map(u64::cast_signed));
                }
            });
        }
    });
    reader.steps = steps_of(&clocks);
    reader.fields(bytes, &mut |reader, field| match field.number {
        5 => proto_uid::read(field.value.bytes(), reader),
        6 => reader.system(field.value.bytes()),
        _ => {}
    });
}

/// Reads `BatteryStatsServiceDumpHistoryProto`.
fn history(bytes: &[u8], reader: &mut Reader<'_>) {
    let mut history = CheckinHistory::default();
    reader.fields(bytes, &mut |reader, field| match field.number {
        5 => {
            let (mut index, mut uid, mut tag) = (0, 0, &b""[..]);
            reader.fields(field.value.bytes(), &mut |_, field| match field.number {
                1 => index = field.value.int(),
                2 => uid = field.value.int(),
                3 => tag = field.value.bytes(),
                _ => {}
            });
            if let Ok(index) = u32::try_from(index) {
                history.string(index, uid, &text(tag), reader.names);
            }
        }
        6 => {
            reader.found.counts.lines += 1;
            let line = text(field.value.bytes());
            let rest = line.strip_prefix("9,h,").unwrap_or(&line);
            history.line(rest, &line, reader.names, reader.found);
        }
        _ => {}
    });
}

/// Reads whichever of the messages it is.
pub(crate) fn read(
    bytes: &[u8],
    artifact: usize,
    names: &mut Names,
    packages: &mut dyn FnMut(Package),
) -> Findings {
    let mut found = Findings::new(artifact, Form::Proto);
    let mut reader = Reader { found: &mut found, names, packages, steps: Vec::new() };
    match kind_of(bytes) {
        Some(Kind::Service) => {
            reader.fields(bytes, &mut |reader, field| {
                if field.number == 1 {
                    statistics(field.value.bytes(), reader);
                }
            });
        }
        Some(Kind::Statistics) => statistics(bytes, &mut reader),
        Some(Kind::History) => history(bytes, &mut reader),
        Some(Kind::Usage) => {
            reader.found.form = Form::UsageProto;
            super::proto_usage::read(bytes, &mut reader);
        }
        None => reader.found.counts.unparsed += 1,
    }
    found
}

/// Which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Service,
    Statistics,
    History,
    Usage,
}

/// Milliseconds from 2001 to 2286: what a start is at least and at most.
const TIMES: std::ops::RangeInclusive<i64> = 978_307_200_000..=9_999_999_999_999;

/// Versions of the report that are believed.
const VERSIONS: std::ops::RangeInclusive<i64> = 1..=1000;

/// Tells the messages apart by their first fields. The bytes may end inside one.
pub(crate) fn kind_of(head: &[u8]) -> Option<Kind> {
    let mut fields = Fields::new(head);
    let first = fields.next()?.ok();
    let Some(first) = first else {
        // One long message: it is looked into.
        let mut position = 1;
        let length = wattle_wire::read_varint(head, &mut position).ok()?;
        let inside = head.get(position..)?;
        let is_one = head.first() == Some(&0x0a) && length > inside.len() as u64;
        return (is_one && versions(inside)).then_some(Kind::Service);
    };
    match first.number {
        1 if !first.value.bytes().is_empty() => {
            versions(first.value.bytes()).then_some(Kind::Service)
        }
        1 if TIMES.contains(&first.value.int()) => {
            let second = fields.next()?.ok()?;
            (second.number == 2 && TIMES.contains(&second.value.int())).then_some(Kind::Usage)
        }
        1 if versions(head) => {
            // Uids and system, or strings and lines.
            let mut rest = Fields::new(head).map_while(Result::ok).skip_while(|it| it.number < 5);
            let next = rest.next();
            let is_history = next.is_some_and(|field| {
                let mut inside = Fields::new(field.value.bytes()).map_while(Result::ok);
                match field.number {
                    5 => {
                        inside.any(|it| it.number == 3 && text(it.value.bytes()).len() > 1)
                            && !Fields::new(field.value.bytes()).map_while(Result::ok).any(|it| {
                                it.number > 3 || (it.number == 2 && !it.value.bytes().is_empty())
                            })
                    }
                    6 => field.value.bytes().starts_with(b"9,h,"),
                    _ => false,
                }
            });
            Some(if is_history { Kind::History } else { Kind::Statistics })
        }
        _ => None,
    }
}

/// `report_version`, `parcel_version`, `start_platform_version`.
fn versions(bytes: &[u8]) -> bool {
    let mut fields = Fields::new(bytes).map_while(Result::ok);
    let mut next = || fields.next();
    let (one, two) = (next(), next());
    let is = |field: Option<Field<'_>>, number| {
        field.is_some_and(|field| {
            field.number == number
                && field.value.bytes().is_empty()
                && VERSIONS.contains(&field.value.int())
        })
    };
    is(one, 1) && is(two, 2) && next().is_none_or(|it| (3..=6).contains(&it.number))
}
