//! `/proc`.

use super::{Change, MadeUp, write_whole};
use crate::core::Core;

const FILES: [(&str, Change); 10] = [
    ("/proc/uptime", Change::Always),
    ("/proc/net/dev", Change::Often),
    ("/proc/diskstats", Change::Often),
    ("/proc/stat", Change::Often),
    ("/proc/uid_time_in_state", Change::Often),
    ("/proc/loadavg", Change::Seldom),
    ("/proc/meminfo", Change::Seldom),
    ("/proc/cpuinfo", Change::Never),
    ("/proc/version", Change::Never),
    ("/proc/sys/kernel/random/boot_id", Change::Seldom),
];

pub(super) fn files() -> Vec<MadeUp> {
    FILES
        .iter()
        .map(|(path, change)| MadeUp { path: (*path).to_owned(), change: *change })
        .collect()
}

pub(super) fn content(core: &Core, path: &str) -> Option<String> {
    let text = match path {
        "/proc/uptime" => {
            let hundredths = core.clock.boot().value() / 10_000_000;
            let idle = hundredths * i64::from(core.options.hardware.cpus()) * 9 / 10;
            let seconds = |hundredths: i64| format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!("{} {}\n", seconds(hundredths), seconds(idle))
        }
        "/proc/net/dev" => net_dev(core),
        "/proc/diskstats" => diskstats(core),
        "/proc/stat" => stat(core),
        "/proc/uid_time_in_state" => super::sysfs_cpu::uid_time_in_state(core),
        "/proc/loadavg" => "0.20 0.25 0.24 1/2213 31337\n".to_owned(),
        "/proc/meminfo" => "MemTotal:        7819424 kB\nMemFree:          402112 kB\nMemAvailable:    3910220 kB\n".to_owned(),
        "/proc/cpuinfo" => (0..core.options.hardware.cpus())
            .map(|cpu| format!("processor\t: {cpu}\nBogoMIPS\t: 49.15\nCPU implementer\t: 0x41\n\n"))
            .collect(),
        "/proc/version" => {
            format!("Linux version {} (build@wattle) #1 SMP PREEMPT\n", core.options.hardware.device.kernel)
        }
        "/proc/sys/kernel/random/boot_id" => {
            format!("5f3b7c1e-0000-4000-8000-{:012x}\n", core.boot_number())
        }
        _ => return None,
    };
    Some(text)
}

fn net_dev(core: &Core) -> String {
    let counters = core.journal.counters(core.clock.boot());
    let mut text = "Inter-|   Receive                                                |  Transmit\n \
                    face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo \
                    colls carrier compressed\n"
        .to_owned();
    let mut line = |name: &str, rx: (u64, u64), tx: (u64, u64)| {
        text += &format!(
            "{name:>6}: {:>7} {:>7}    0    0    0     0          0         0 {:>8} {:>7}    0    0    0     0       0          0\n",
            rx.0, rx.1, tx.0, tx.1
        );
    };
    line("lo", (41_228, 512), (41_228, 512));
    for (name, traffic) in &counters.network {
        line(name, (traffic.rx_bytes, traffic.rx_packets), (traffic.tx_bytes, traffic.tx_packets));
    }
    text
}

fn diskstats(core: &Core) -> String {
    let counters = core.journal.counters(core.clock.boot());
    let mut text = String::new();
    for (index, (device, blocks)) in counters.storage.iter().enumerate() {
        let (read, written) = (blocks.read_bytes / 512, blocks.write_bytes / 512);
        // Requests of 64 KiB on average, and a partition that holds everything.
        for (minor, name) in [(0, device.clone()), (31, format!("{device}31"))] {
            let minor = minor + index * 64;
            text += &format!(
                "   8 {minor:>7} {name} {} 0 {read} {} {} 0 {written} {} 0 {} {}\n",
                read / 128,
                read / 100,
                written / 128,
                written / 60,
                (read + written) / 90,
                read / 100 + written / 60
            );
        }
    }
    text
}

/// Times in hundredths of a second. Which CPU was busy only the replayed trace knows: all share alike.
fn stat(core: &Core) -> String {
    let cpus = u64::from(core.options.hardware.cpus());
    let busy = core.journal.counters(core.clock.boot()).busy / 10_000_000;
    let up = core.clock.boot().value().max(0) as u64 / 10_000_000;
    let line = |name: &str, up: u64, busy: u64| {
        format!(
            "{name} {} 0 {} {} 0 0 0 0 0 0\n",
            busy * 7 / 10,
            busy * 3 / 10,
            up.saturating_sub(busy)
        )
    };
    let mut text = line("cpu ", up * cpus, busy);
    for cpu in 0..cpus {
        text += &line(&format!("cpu{cpu}"), up, busy / cpus);
    }
    let boot = core.clock.wall_at(wattle_units::BootNanos::new(0)) / 1_000_000_000;
    text + &format!("intr 1\nctxt 1\nbtime {boot}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n")
}

/// Folders of the processes that run.
pub(super) fn write_processes(core: &Core) {
    let running = core.journal.running();
    let root = core.files.on_host("/proc");
    for process in &running {
        let folder = root.join(process.pid.to_string());
        if folder.exists() {
            continue;
        }
        let status = format!(
            "Name:\t{}\nPid:\t{}\nPPid:\t{}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n",
            process.name,
            process.pid,
            process.parent,
            uid = process.uid
        );
        write_whole(&folder.join("cmdline"), format!("{}\0", process.name).as_bytes());
        write_whole(&folder.join("status"), status.as_bytes());
    }
    let alive: std::collections::BTreeSet<String> =
        running.iter().map(|process| process.pid.to_string()).collect();
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.parse::<u32>().is_ok() && !alive.contains(&name) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Android's name of a user (`android_filesystem_config.h`).
pub(crate) fn user_name(uid: u32) -> String {
    match uid {
        0 => "root".to_owned(),
        1000 => "system".to_owned(),
        2000 => "shell".to_owned(),
        9999 => "nobody".to_owned(),
        10_000.. => format!("u{}_a{}", uid / 100_000, uid % 100_000 - 10_000),
        _ => uid.to_string(),
    }
}
