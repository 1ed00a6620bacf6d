//! The files of counters as the kernel prints them, and what a shell writes down of them.

use std::fmt::Write as _;
use std::io::Write;

use super::Machine;
use crate::bytes::DeviceKind;
use crate::thread_program::PollStep;
use crate::{PolledFile, PollerClock};

/// The kernel prints CPU time in `USER_HZ`: hundredths of a second.
const TICK: i64 = 10_000_000;
/// Bytes of the sectors that `/proc/diskstats` counts, whatever the device's own are.
const SECTOR: u64 = 512;

impl<W: Write> Machine<'_, W> {
    /// A step of the shell that polls.
    pub(super) fn poll(&mut self, step: PollStep) {
        let Some(poller) = &self.stage.sources.poller else { return };
        let mut text = self.kernel.polled.take().unwrap_or_else(|| {
            let millis = poller.period.value() / 1_000_000;
            format!("wattle-counters 1\n# pid {}\n# period {millis}\n", poller.pid)
        });
        match step {
            PollStep::Begin => line(&mut text, format_args!("@ {}", self.clocks(poller.clock))),
            PollStep::End => line(&mut text, format_args!("> {}", self.clocks(poller.clock))),
            PollStep::Read(file) => {
                self.settle_all();
                self.file(file, &mut text);
            }
        }
        self.kernel.polled = Some(text);
    }

    /// Takes the text that the shell has written down, in UTF-8.
    pub fn take_polled(&mut self) -> Option<Vec<u8>> {
        self.kernel.polled.take().map(String::into_bytes)
    }

    fn clocks(&self, clock: PollerClock) -> String {
        let hundredths = self.now / 10_000_000;
        let uptime = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        match clock {
            PollerClock::Uptime => format!("{uptime} -"),
            PollerClock::UptimeAndEpoch => {
                let micros = self.real_clock() / 1000;
                format!("{uptime} {}.{:06}", micros / 1_000_000, micros % 1_000_000)
            }
        }
    }

    fn file(&mut self, file: PolledFile, text: &mut String) {
        match file {
            PolledFile::NetDev => {
                self.traffic.read(DeviceKind::Network, self.stage);
                self.net_dev(text);
            }
            PolledFile::DiskStats => {
                self.traffic.read(DeviceKind::Block, self.stage);
                self.disk_stats(text);
            }
            PolledFile::Stat => self.stat(text),
            PolledFile::CpuTimeInState => self.cpu_time_in_state(text),
            PolledFile::UidTimeInState => self.uid_time_in_state(text),
        }
    }

    /// `dev_seq_printf_stats` of the kernel's `net/core/net-procfs.c`.
    fn net_dev(&self, text: &mut String) {
        text.push_str(
            "< /proc/net/dev\n\
             Inter-|   Receive                                                |  Transmit\n \
             face |bytes    packets errs drop fifo frame compressed multicast|\
             bytes    packets errs drop fifo colls carrier compressed\n",
        );
        for ((kind, name), counter) in self.stage.devices.iter().zip(&self.traffic.counters) {
            if kind == DeviceKind::Network {
                let [rx, tx] = [counter.bytes.inward, counter.bytes.outward];
                let [rx_packets, tx_packets] = [counter.inward_units, counter.outward_units];
                line(
                    text,
                    format_args!(
                        "{name:>6}: {rx:7} {rx_packets:7}    0    0    0     0          0         0 \
                         {tx:8} {tx_packets:7}    0    0    0     0       0          0"
                    ),
                );
            }
        }
    }

    /// `diskstats_show` of the kernel's `block/genhd.c`, with the 17 counters of Linux 5.5 and newer.
    fn disk_stats(&self, text: &mut String) {
        text.push_str("< /proc/diskstats\n");
        let disks = self.stage.devices.iter().zip(&self.traffic.counters);
        for (index, ((_, name), counter)) in
            disks.filter(|((kind, _), _)| *kind == DeviceKind::Block).enumerate()
        {
            let [read, written] = [counter.bytes.inward / SECTOR, counter.bytes.outward / SECTOR];
            let [reads, writes] = [counter.inward_units, counter.outward_units];
            let [read_ms, write_ms] = [counter.inward_millis, counter.outward_millis];
            let busy = read_ms + write_ms;
            line(
                text,
                format_args!(
                    "   8 {:7} {name} {reads} 0 {read} {read_ms} {writes} 0 {written} {write_ms} 0 {busy} {busy} \
                     0 0 0 0 0 0",
                    index * 16
                ),
            );
        }
    }

    /// `show_stat` of the kernel's `fs/proc/stat.c`: user, nice, system, idle, iowait, irq, softirq, steal, guest,
    /// guest_nice.
    fn stat(&self, text: &mut String) {
        text.push_str("< /proc/stat\n");
        let row = |times: &mut dyn Iterator<Item = &super::kernel_time::CpuTime>| {
            let mut sums = [0_i64; 5];
            for cpu in times {
                let parts = [cpu.user, cpu.system, cpu.idle, cpu.irq, cpu.softirq];
                sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
            let [user, system, idle, irq, softirq] = sums.map(|nanos| nanos / TICK);
            format!("{user} 0 {system} {idle} 0 {irq} {softirq} 0 0 0")
        };
        line(text, format_args!("cpu  {}", row(&mut self.kernel.cpus.iter())));
        for (index, cpu) in self.kernel.cpus.iter().enumerate() {
            line(text, format_args!("cpu{index} {}", row(&mut std::iter::once(cpu))));
        }
    }

    /// `show_time_in_state` of the kernel's `drivers/cpufreq/cpufreq_stats.c`; each CPU shows its policy's.
    fn cpu_time_in_state(&self, text: &mut String) {
        for (number, cpu) in self.cpus.iter().enumerate() {
            line(
                text,
                format_args!("< /sys/devices/system/cpu/cpu{number}/cpufreq/stats/time_in_state"),
            );
            let curve = &self.spec.clusters[cpu.cluster].curve;
            for (point, nanos) in curve.iter().zip(&self.kernel.states[cpu.cluster]) {
                line(text, format_args!("{} {}", point.frequency.kilohertz(), nanos / TICK));
            }
        }
    }

    /// `uid_time_in_state_seq_show` of Android's `drivers/cpufreq/cpufreq_times.c`.
    fn uid_time_in_state(&self, text: &mut String) {
        text.push_str("< /proc/uid_time_in_state\nuid:");
        for point in self.spec.clusters.iter().flat_map(|cluster| &cluster.curve) {
            let _ = write!(text, " {}", point.frequency.kilohertz());
        }
        text.push('\n');
        for (uid, states) in &self.kernel.uids {
            let _ = write!(text, "{uid}:");
            for nanos in states.iter().flatten() {
                let _ = write!(text, " {}", nanos / TICK);
            }
            text.push('\n');
        }
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
