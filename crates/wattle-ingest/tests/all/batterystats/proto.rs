//! The messages, written by the fields of AOSP's `batterystats.proto`.

use wattle_ingest::read_bytes;
use wattle_timeline::{Quantity, StateKind, Timeline};
use wattle_wire::Writer;

use super::{changes, check};

pub const START_MS: u64 = 1_639_391_540_000;

fn timer(of: &mut Writer, field: u32, ms: u64, count: u64) {
    of.message(field, |timer| {
        timer.varint(1, ms);
        timer.varint(2, count);
    });
}

fn double(of: &mut Writer, field: u32, value: f64) {
    of.double(field, value);
}

fn versions(of: &mut Writer) {
    of.varint(1, 35);
    of.varint(2, 196);
    of.string(3, "RP1A");
    of.string(4, "RP1A");
}

/// One uid with everything, and the device.
pub fn statistics() -> Vec<u8> {
    let mut out = Writer::new();
    out.message(1, |statistics| {
        versions(statistics);
        statistics.message(5, |uid| {
            uid.varint(1, 10_045);
            uid.message(2, |package| package.string(1, "com.x"));
            uid.message(5, |wifi| {
                wifi.varint(1, 1000);
                wifi.varint(2, 2000);
                wifi.message(4, |tx| {
                    tx.varint(1, 0);
                    tx.varint(2, 3000);
                });
            });
            uid.message(7, |cpu| {
                cpu.varint(1, 700);
                cpu.varint(2, 300);
                for (index, ms) in [(1, 10), (3, 30)] {
                    cpu.message(3, |by| {
                        by.varint(1, index);
                        by.varint(2, ms);
                    });
                }
            });
            timer(uid, 8, 4000, 1);
            timer(uid, 11, 5000, 1);
            uid.message(15, |job| {
                job.string(1, "x/.Y");
                timer(job, 2, 250, 2);
            });
            uid.message(17, |network| {
                for (field, value) in [(1, 100), (4, 400), (8, 8), (11, 9000), (12, 3)] {
                    network.varint(field, value);
                }
            });
            uid.message(18, |estimate| {
                double(estimate, 1, 12.5);
                double(estimate, 3, 3.5);
            });
            uid.message(20, |state| {
                state.varint(1, 3);
                state.varint(2, 6000);
            });
            uid.message(21, |sensor| {
                sensor.varint(1, (-10_000_i64).cast_unsigned());
                timer(sensor, 2, 7000, 1);
            });
            for (name, ms) in [("a", 1500), ("b", 500)] {
                uid.message(25, |lock| {
                    lock.string(1, name);
                    timer(lock, 3, ms, 2);
                });
            }
            uid.message(26, |alarm| {
                alarm.string(1, "*walarm*:x");
                alarm.varint(2, 8);
            });
            uid.message(27, |wifi| {
                wifi.varint(2, 8000);
                timer(wifi, 3, 1250, 1);
            });
        });
        statistics.message(6, |system| {
            system.message(1, |battery| {
                let values = [(1, START_MS), (3, 100_000), (5, 100_000), (6, 90_000), (10, 4000)];
                for (field, value) in values {
                    battery.varint(field, value);
                }
            });
            system.message(2, |discharge| discharge.varint(6, 120));
            for clock in [300_000, 600_000, 500_000] {
                system.varint(7, clock);
            }
            system.message(12, |network| network.varint(1, 1000));
            system.message(13, |wifi| wifi.varint(1, 60_000));
            system.message(15, |misc| {
                for (field, ms) in [(1, 40_000), (4, 2000), (5, 20_000)] {
                    misc.varint(field, ms);
                }
            });
            for (level, ms) in [(0, 10), (4, 50)] {
                system.message(20, |brightness| {
                    brightness.varint(1, level);
                    timer(brightness, 2, ms, 1);
                });
            }
            system.message(17, |estimate| {
                estimate.varint(1, 7);
                double(estimate, 3, 55.5);
            });
            system.message(18, |estimates| {
                for (field, mah) in [(1, 4000.0), (2, 110.0), (3, 100.0), (4, 140.0)] {
                    double(estimates, field, mah);
                }
            });
            system.message(14, |lock| lock.string(1, "kernel's"));
        });
    });
    out.into_bytes()
}

fn read(bytes: &[u8]) -> Timeline {
    read_bytes("batterystats.pb", bytes).unwrap()
}

#[test]
fn statistics_of_the_service() {
    let timeline = read(&statistics());
    let uid = Some(10_045);
    check(
        &timeline,
        &[
            (Quantity::OnBattery, None, None, Some(100.0)),
            (Quantity::OnBatteryAwake, None, None, Some(90.0)),
            (Quantity::BatteryCapacity, None, Some("estimated"), Some(4000.0)),
            (Quantity::BatteryCharge, None, None, Some(120.0)),
            (Quantity::CellReceivedBytes, None, None, Some(1000.0)),
            (Quantity::Wifi, None, None, Some(60.0)),
            (Quantity::Screen, None, None, Some(40.0)),
            (Quantity::Wakelock, None, None, Some(2.0)),
            (Quantity::ScreenClass(4), None, None, Some(0.05)),
            (Quantity::EstimatedCharge, None, Some("scrn"), Some(55.5)),
            (Quantity::EstimatedCharge, None, Some("total"), Some(110.0)),
            (Quantity::BatteryCharge, None, Some("drain-max"), Some(140.0)),
            (Quantity::WifiIdle, uid, None, Some(1.0)),
            (Quantity::WifiTransmit(0), uid, None, Some(3.0)),
            (Quantity::Cpu, uid, None, Some(1.0)),
            (Quantity::CpuAt { cluster: 0, step: 0 }, uid, None, Some(0.01)),
            (Quantity::CpuAt { cluster: 1, step: 0 }, uid, None, Some(0.03)),
            (Quantity::Audio, uid, None, Some(4.0)),
            (Quantity::Foreground, uid, None, Some(5.0)),
            (Quantity::Job, uid, Some("x/.Y"), Some(0.25)),
            (Quantity::CellReceivedBytes, uid, None, Some(100.0)),
            (Quantity::WifiSentBytes, uid, None, Some(400.0)),
            (Quantity::CellSentPackets, uid, None, Some(8.0)),
            (Quantity::CellActive, uid, None, Some(9.0)),
            (Quantity::CellActiveCount, uid, None, Some(3.0)),
            (Quantity::EstimatedCharge, uid, Some("uid"), Some(12.5)),
            (Quantity::EstimatedCharge, uid, Some("screen-smeared"), Some(3.5)),
            (Quantity::ProcessState(3), uid, None, Some(6.0)),
            (Quantity::Gnss, uid, None, Some(7.0)),
            (Quantity::Wakelock, uid, Some("a"), Some(1.5)),
            (Quantity::Wakelock, uid, None, Some(2.0)),
            (Quantity::AlarmWakeups, uid, Some("*walarm*:x"), Some(8.0)),
            (Quantity::WifiRunning, uid, None, Some(8.0)),
            (Quantity::WifiScan, uid, None, Some(1.25)),
        ],
    );
    assert_eq!(timeline.tasks.packages.len(), 1);
    assert_eq!(timeline.system.usage[0].window.start.value(), 1_639_391_540_000_500_000);
    let quality = &timeline.quality.artifacts[0];
    assert_eq!(
        (quality.format.as_str(), quality.unread["SystemProto.14"]),
        ("batterystats-proto", 1)
    );
}

#[test]
fn history_of_the_service() {
    let mut out = Writer::new();
    versions(&mut out);
    out.message(5, |key| {
        key.varint(1, 4);
        key.varint(2, 10_045);
        key.string(3, "x/.Y");
    });
    for line in ["9,h,0:RESET:TIME:1639391540000", "9,h,0,Bl=95,Bp=n,+r,+S", "9,h,1500,+Ejb=4,-S"] {
        out.string(6, line);
    }
    let timeline = read(out.as_bytes());
    assert_eq!(changes(&timeline, StateKind::Screen, None, None), [(0, 1), (1500, 0)]);
    assert_eq!(changes(&timeline, StateKind::Job, Some(10_045), Some("x/.Y")), [(1500, 1)]);
}

/// Charges are in tenths of a coulomb: 36 of them are a milliampere-hour.
#[test]
fn usage() {
    let consumer = |data: &mut Writer, total: u64, component: u64, charge: u64| {
        data.varint(1, total);
        data.message(2, |part| {
            part.varint(1, component);
            part.varint(2, charge);
            part.varint(3, 1000);
        });
    };
    let mut out = Writer::new();
    out.varint(1, START_MS);
    out.varint(2, START_MS + 60_000);
    out.varint(3, 60_000);
    out.message(4, |device| consumer(device, 3600, 0, 1800));
    out.message(5, |uid| {
        uid.varint(1, 10_045);
        uid.message(2, |data| consumer(data, 360, 8, 36));
        uid.varint(3, 5000);
        uid.varint(4, 6000);
    });
    out.varint(6, 12);
    out.varint(7, 59_000);
    let timeline = read(out.as_bytes());
    let uid = Some(10_045);
    check(
        &timeline,
        &[
            (Quantity::EstimatedCharge, None, Some("total"), Some(100.0)),
            (Quantity::EstimatedCharge, None, Some("screen"), Some(50.0)),
            (Quantity::EstimatedCharge, uid, Some("uid"), Some(10.0)),
            (Quantity::EstimatedCharge, uid, Some("mobile_radio"), Some(1.0)),
            (Quantity::ProcessState(2), uid, None, Some(5.0)),
            (Quantity::OnBattery, None, None, Some(59.0)),
        ],
    );
    assert_eq!(timeline.window.duration().value(), 60_000_000_000);
}
