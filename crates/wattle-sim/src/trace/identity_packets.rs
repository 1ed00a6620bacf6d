//! Packets that say who is who.

use std::io::{self, Write};

use super::packet_recorder::Recorder;
use super::scheduled_task::Comm;
use crate::{ClusterSpec, DeviceSpec};

/// A process of the process tree.
#[derive(Clone, Debug)]
pub(crate) struct Persona {
    pub pid: u32,
    pub parent: u32,
    pub name: String,
    pub uid: u32,
    pub package: Option<String>,
}

/// The phone, for its metadata.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phone<'a> {
    pub device: &'a DeviceSpec,
    pub clusters: &'a [ClusterSpec],
}

impl<W: Write> Recorder<W> {
    /// `system_info` 45, `cpu_info` 67 and `android_system_property` 86.
    pub fn phone(&mut self, time: u64, phone: Phone<'_>) -> io::Result<()> {
        let device = phone.device;
        let cpus: u32 = phone.clusters.iter().map(|cluster| cluster.cores).sum();
        self.service_packet(time, |packet| {
            packet.message(45, |info| {
                info.message(1, |utsname| {
                    utsname.string(1, "Linux");
                    utsname.string(2, "#1 SMP PREEMPT");
                    utsname.string(3, &device.kernel);
                    utsname.string(4, "aarch64");
                });
                info.string(2, &device.fingerprint);
                info.varint(3, 250);
                info.string(4, "Perfetto v54.0 (simulated)");
                info.varint(5, u64::from(device.sdk));
                info.varint(6, 4096);
                info.varint(8, u64::from(cpus));
                info.string(9, &device.soc);
                info.string(14, &device.manufacturer);
            });
        })?;
        let strongest = phone.clusters.iter().map(capacity).fold(f64::MIN_POSITIVE, f64::max);
        self.probes_packet(time, |packet| {
            packet.message(67, |info| {
                for cluster in phone.clusters {
                    for _ in 0..cluster.cores {
                        info.message(1, |cpu| {
                            cpu.string(1, "AArch64 Processor rev 0 (aarch64)");
                            for point in &cluster.curve {
                                cpu.varint(2, point.frequency.kilohertz());
                            }
                            let share = capacity(cluster) / strongest;
                            cpu.varint(3, (share * 1024.0).round() as u64);
                        });
                    }
                }
            });
        })?;
        self.probes_packet(time, |packet| {
            packet.message(86, |properties| {
                let values = [
                    ("ro.soc.model", device.soc.as_str()),
                    ("ro.product.manufacturer", device.manufacturer.as_str()),
                    ("ro.build.fingerprint", device.fingerprint.as_str()),
                ];
                for (name, value) in values {
                    properties.message(1, |property| {
                        property.string(1, name);
                        property.string(2, value);
                    });
                }
            });
        })
    }

    /// `process_tree` 2 with `processes` 1 (`pid` 1, `ppid` 2, `cmdline` 3, `uid` 5) and `threads` 2
    /// (`tid` 1, `name` 2, `tgid` 3).
    pub fn process_tree<'a>(
        &mut self,
        time: u64,
        processes: impl Iterator<Item = &'a Persona>,
        threads: impl Iterator<Item = &'a Comm>,
    ) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(2, |tree| {
                for process in processes {
                    tree.message(1, |message| {
                        message.varint(1, u64::from(process.pid));
                        message.varint(2, u64::from(process.parent));
                        message.string(3, &process.name);
                        message.varint(5, u64::from(process.uid));
                    });
                }
                for thread in threads {
                    tree.message(2, |message| {
                        message.varint(1, u64::from(thread.tid));
                        message.string(2, &thread.name);
                        message.varint(3, u64::from(thread.tgid));
                    });
                }
            });
        })
    }

    /// `packages_list` 47 with `packages` 1 (`name` 1, `uid` 2, `debuggable` 3, `profileable_from_shell` 4,
    /// `version_code` 5).
    pub fn packages<'a>(
        &mut self,
        time: u64,
        processes: impl Iterator<Item = &'a Persona>,
    ) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(47, |list| {
                for process in processes {
                    let Some(package) = &process.package else { continue };
                    list.message(1, |message| {
                        message.string(1, package);
                        message.varint(2, u64::from(process.uid));
                        message.bool(3, false);
                        message.bool(4, true);
                        message.varint(5, 1);
                    });
                }
            });
        })
    }
}

/// Work a second at the highest frequency.
fn capacity(cluster: &ClusterSpec) -> f64 {
    let highest = cluster.curve.last().map_or(0, |point| point.frequency.value());
    highest as f64 * cluster.work_per_cycle
}
