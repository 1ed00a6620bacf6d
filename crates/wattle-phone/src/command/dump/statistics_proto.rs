//! `dumpsys batterystats --proto`: `BatteryStatsServiceDumpProto` with the fields of
//! `frameworks/base/core/proto/android/os/batterystats.proto`.

use wattle_wire::Writer;

use super::app_usage::{Used, since, used};
use super::wifi_time::WifiTime;
use crate::core::Core;

pub(super) fn dump(core: &Core) -> Vec<u8> {
    let (length, wall) = since(core);
    let build = core.state().properties.get("ro.build.id").cloned().unwrap_or_default();
    let mut out = Writer::new();
    // batterystats
    out.message(1, |statistics| {
        statistics.varint(1, 36); // report_version
        statistics.varint(2, 214); // parcel_version
        statistics.string(3, &build); // start_platform_version
        statistics.string(4, &build); // end_platform_version
        let all = used(core);
        let on_air: WifiTime = all.iter().map(Used::wifi).sum();
        let idle = (length.max(0) as u64).saturating_sub(on_air.on_air());
        for used in all {
            // uids
            statistics.message(5, |uid| {
                uid.varint(1, u64::from(used.uid));
                if let Some(package) = &used.package {
                    uid.message(2, |of| of.string(1, package));
                }
                // cpu: user_duration_ms, system_duration_ms
                uid.message(7, |cpu| {
                    cpu.varint(1, used.cpu_ms * 7 / 10);
                    cpu.varint(2, used.cpu_ms * 3 / 10);
                });
                wifi_controller(uid, 5, 0, used.wifi());
                // network: wifi_bytes_rx, wifi_bytes_tx, wifi_packets_rx, wifi_packets_tx
                uid.message(17, |network| {
                    network.varint(3, used.rx_bytes);
                    network.varint(4, used.tx_bytes);
                    network.varint(9, used.rx_packets);
                    network.varint(10, used.tx_packets);
                });
            });
        }
        // system.battery: start_clock_time_ms, start_count, total_realtime_ms, total_uptime_ms, battery_realtime_ms …
        statistics.message(6, |system| {
            system.message(1, |battery| {
                battery.varint(1, wall.max(0) as u64);
                battery.varint(2, 0);
                for field in 3..=6 {
                    battery.varint(field, length.max(0) as u64);
                }
            });
            wifi_controller(system, 11, idle, on_air);
        });
    });
    out.into_bytes()
}

/// A `ControllerActivityProto`: `idle_duration_ms`, `rx_duration_ms`, `tx` with its one level.
fn wifi_controller(out: &mut Writer, field: u32, idle_ms: u64, times: WifiTime) {
    if times.on_air() + idle_ms == 0 {
        return;
    }
    out.message(field, |controller| {
        controller.varint(1, idle_ms);
        controller.varint(2, times.rx_ms);
        controller.message(4, |tx| {
            tx.varint(1, 0);
            tx.varint(2, times.tx_ms);
        });
    });
}
