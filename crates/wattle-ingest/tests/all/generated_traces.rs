//! Every packet family on traces small enough to know every number of.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

use crate::traces;
use traces::Trace;
use wattle_ingest::read_bytes;
use wattle_timeline::{
    CounterScope, Direction, IdleState, InterruptKind, SliceScope, TaskState, ThreadId, Timeline,
    Uid,
};
use wattle_units::{BootNanos, Hertz};

#[track_caller]
fn read(trace: Trace) -> Timeline {
    let timeline = read_bytes("generated", &trace.bytes()).unwrap();
    let notes = &timeline.quality.artifacts[0].notes;
    assert!(notes.is_empty(), "{notes:?}");
    timeline
}

fn thread_names(timeline: &Timeline) -> Vec<(u32, Option<&str>)> {
    let name = |thread: &wattle_timeline::Thread| {
        (thread.tid.0, thread.name.map(|name| timeline.names.get(name)))
    };
    timeline.tasks.threads.iter().map(name).collect()
}

/// (start, end, tid, end state) of every slice of a CPU.
fn slices_of_cpu(timeline: &Timeline, cpu: usize) -> Vec<(i64, i64, u32, Option<u16>)> {
    let slices = timeline.cpus[cpu].sched.iter();
    slices
        .map(|s| {
            let tid = timeline.tasks.threads[s.thread.index()].tid.0;
            (s.window.start.value(), s.window.end.value(), tid, s.end_state.map(|state| state.0))
        })
        .collect()
}

/// (track's scope, name, start, end, depth) of every slice; an unfinished one ends at -1.
fn all_slices(timeline: &Timeline) -> Vec<(SliceScope, &str, i64, i64, u16)> {
    let of_track = |track: &wattle_timeline::SliceTrack| {
        let scope = track.scope;
        let slices: Vec<_> = timeline.code.slices.of(track).collect();
        slices.into_iter().map(move |s| {
            let end = if s.is_unfinished() { -1 } else { s.end.value() };
            (scope, timeline.names.get(s.name), s.start.value(), end, s.depth)
        })
    };
    timeline.code.slices.tracks.iter().flat_map(of_track).collect()
}

#[track_caller]
fn check_counter(timeline: &Timeline, name: &str, scope: CounterScope, expected: &[(i64, f64)]) {
    let named = |counter: &&wattle_timeline::CounterTrack| {
        timeline.names.get(counter.name) == name && counter.scope == scope
    };
    let counter = timeline.system.counters.iter().find(named).expect(name);
    let found: Vec<_> =
        counter.time.iter().map(|t| t.value()).zip(counter.value.iter().copied()).collect();
    assert_eq!(found, expected);
}

#[test]
fn switches_of_both_kinds() {
    let timeline = read(
        Trace::default()
            .bundle(0, |cpu| {
                cpu.switch(100, (0, "swapper/0"), 0, (7, "app"))
                    .switch(200, (7, "app"), 1, (8, "other"))
                    .switch(300, (8, "other"), 0x100, (0, "swapper/0"));
            })
            .bundle(1, |cpu| {
                cpu.0.message(4, |compact| {
                    compact.string(5, "swapper/1");
                    compact.string(5, "worker");
                    compact.packed(1, [110, 50, 40]);
                    compact.packed(2, [0, 2, 0]);
                    compact.packed(3, [9, 0, 9]);
                    compact.packed(6, [1, 0, 1]);
                    compact.packed(7, [105, 30]);
                    compact.packed(8, [7, 8]);
                    compact.packed(9, [0, 0]);
                });
                cpu.numbers(400, 9, 13, &[(1, 1), (2, 1)]);
            }),
    );
    // The last slice of each CPU is open up to the end of the window.
    let cpu0 = [(100, 200, 7, Some(1)), (200, 300, 8, Some(0)), (300, 400, 0, None)];
    assert_eq!(slices_of_cpu(&timeline, 0), cpu0);
    // The first compact record opens no slice.
    assert_eq!(slices_of_cpu(&timeline, 1), [(160, 200, 0, Some(0)), (200, 400, 9, None)]);
    assert_eq!(timeline.wakeups.len(), 1, "the wake-up before the first switch is not used");
    assert_eq!(timeline.wakeups.time[0], BootNanos::new(135));
    let names = thread_names(&timeline);
    for expected in [(7, Some("app")), (8, Some("other")), (9, Some("worker"))] {
        assert!(names.contains(&expected), "{names:?}");
    }
    assert!(TaskState(0).is_runnable());
}

#[test]
fn lost_events_leave_a_gap() {
    let trace = Trace::default()
        .bundle(0, |cpu| {
            cpu.switch(100, (0, "swapper/0"), 0, (7, "app"));
            cpu.numbers(150, 7, 11, &[(1, 300_000), (2, 0)]);
        })
        .bundle(0, |cpu| {
            cpu.0.bool(3, true);
            cpu.switch(900, (8, "other"), 1, (0, "swapper/0"));
            cpu.numbers(1_000, 0, 13, &[(1, 1), (2, 0)]);
        });
    let timeline = read_bytes("lost", &trace.bytes()).unwrap();
    assert_eq!(slices_of_cpu(&timeline, 0), [(100, 150, 7, None), (900, 1_000, 0, None)]);
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.lost_events, 1);
    assert!(artifact.notes.iter().any(|note| note.code == "ftrace-lost-events"));
}

#[test]
fn numbers_that_are_used_again_are_other_tasks() {
    let timeline = read(
        Trace::default()
            // A later bundle of another CPU holds what made the thread that already ran.
            .bundle(0, |cpu| {
                cpu.switch(200, (0, "swapper/0"), 0, (50, "child"))
                    .switch(300, (50, "child"), 0, (0, "swapper/0"))
                    .switch(700, (0, "swapper/0"), 0, (50, "fresh"))
                    .switch(800, (50, "fresh"), 0, (0, "swapper/0"));
            })
            .bundle(1, |cpu| {
                cpu.event(150, 40, 235, |new| {
                    new.varint(1, 50);
                    new.string(2, "parent");
                    new.varint(3, 0x10000);
                });
                cpu.print(160, 40, "B|40|x").print(170, 40, "E|40");
                cpu.numbers(400, 0, 240, &[(2, 50)]);
                cpu.event(600, 40, 235, |new| {
                    new.varint(1, 50);
                    new.string(2, "forked");
                    new.varint(3, 0x11);
                });
            }),
    );
    let lives: Vec<_> = timeline.tasks.threads.iter().filter(|thread| thread.tid.0 == 50).collect();
    assert_eq!(lives.len(), 2, "{lives:?}");
    let pid = |thread: &wattle_timeline::Thread| {
        thread.process.map(|process| timeline.tasks.processes[process.index()].pid.0)
    };
    assert_eq!(pid(lives[0]), Some(40), "a thread is of its creator's process");
    assert_eq!(lives[0].end, Some(BootNanos::new(400)));
    assert_eq!(pid(lives[1]), Some(50), "a fork is a process");
    let forked = &timeline.tasks.processes[lives[1].process.unwrap().index()];
    let parent = forked.parent.map(|parent| timeline.tasks.processes[parent.index()].pid.0);
    assert_eq!(parent, Some(40));
    let ran: Vec<ThreadId> =
        timeline.cpus[0].sched.iter().map(|s| s.thread).filter(|t| !t.is_idle()).collect();
    assert_eq!(ran.len(), 2);
    assert_ne!(ran[0], ran[1]);
}

#[test]
fn processes_and_packages() {
    let package = |name: &'static str, uid: u64| {
        move |list: &mut wattle_wire::Writer| {
            list.message(1, |p| {
                p.string(1, name);
                p.varint(2, uid);
            });
        }
    };
    let process = |pid: u64, name: &'static str, uid: u64| {
        move |tree: &mut wattle_wire::Writer| {
            tree.message(1, |p| {
                p.varint(1, pid);
                p.varint(2, 1);
                p.string(3, name);
                p.varint(5, uid);
            });
        }
    };
    let timeline = read(
        Trace::default()
            .at(10, 47, package("com.one", 10_001))
            .at(10, 47, package("com.two", 10_002))
            .at(10, 47, package("com.two.helper", 10_002))
            .at(20, 2, process(100, "com.one:remote", 10_001))
            .at(20, 2, process(101, "com.two.helper", 1_010_002))
            .at(20, 2, process(102, "renamed", 10_001))
            .at(20, 2, process(103, "com.two:sandbox0", 99_001))
            .at(20, 2, process(104, "/system/bin/init --x", 0)),
    );
    let found = timeline.tasks.processes.iter().filter(|p| p.pid.0 >= 100).map(|p| {
        let name = |id: Option<wattle_timeline::NameId>| id.map(|id| timeline.names.get(id));
        (p.pid.0, name(p.name), p.uid, name(p.package))
    });
    let expected = [
        (100, Some("com.one:remote"), Some(Uid(10_001)), Some("com.one")),
        (101, Some("com.two.helper"), Some(Uid(1_010_002)), Some("com.two.helper")),
        (102, Some("renamed"), Some(Uid(10_001)), Some("com.one")),
        (103, Some("com.two:sandbox0"), Some(Uid(99_001)), Some("com.two")),
        (104, Some("/system/bin/init"), Some(Uid(0)), None),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn cpu_states() {
    let timeline = read(Trace::default().bundle(1, |cpu| {
        cpu.numbers(100, 0, 11, &[(1, 300_000), (2, 0)])
            .numbers(200, 0, 11, &[(1, 600_000), (2, 0)])
            .numbers(300, 0, 12, &[(1, 300_000), (2, 900_000), (3, 0)])
            .numbers(400, 0, 13, &[(1, 1), (2, 1)])
            .numbers(500, 0, 13, &[(1, 4_294_967_295), (2, 1)])
            .event(600, 0, 36, |irq| irq.string(2, "wlan0"))
            .numbers(620, 0, 37, &[])
            .numbers(650, 0, 24, &[(1, 3)])
            .event(660, 0, 36, |irq| irq.string(2, "gpu"))
            .numbers(670, 0, 37, &[])
            .numbers(700, 0, 25, &[(1, 3)])
            .event(800, 0, 113, |s| {
                s.string(1, "timekeeping_freeze");
                s.varint(3, 1);
            })
            .event(900, 0, 113, |s| {
                s.string(1, "timekeeping_freeze");
                s.varint(3, 0);
            });
    }));
    let cpu0 = &timeline.cpus[0];
    let frequency: Vec<_> =
        cpu0.frequency.iter().map(|(t, f)| (t.value(), f.kilohertz())).collect();
    assert_eq!(frequency, [(100, 300_000), (200, 600_000)]);
    assert_eq!(cpu0.frequency_is_polled_before, None);
    let limits = (Hertz::from_kilohertz(300_000), Hertz::from_kilohertz(900_000));
    assert_eq!(cpu0.frequency_limits.last(), Some((BootNanos::new(300), limits)));
    let idle: Vec<_> = timeline.cpus[1].idle.iter().map(|(t, s)| (t.value(), s)).collect();
    assert_eq!(idle, [(400, IdleState(1)), (500, IdleState::ACTIVE)]);
    let interrupts: Vec<_> = timeline.cpus[1]
        .interrupts
        .iter()
        .map(|i| {
            let window = (i.window.start.value(), i.window.end.value());
            (window, i.kind, timeline.names.get(i.name))
        })
        .collect();
    let expected = [
        ((600, 620), InterruptKind::Hard, "IRQ (wlan0)"),
        ((650, 700), InterruptKind::Soft, "NET_RX"),
        ((660, 670), InterruptKind::Hard, "IRQ (gpu)"),
    ];
    assert_eq!(interrupts, expected);
    let suspended: Vec<_> =
        timeline.suspend.suspended.iter().map(|(t, s)| (t.value(), s)).collect();
    assert_eq!(suspended, [(800, true), (900, false)]);
}

#[test]
fn polled_frequencies_hold_until_the_first_event() {
    let timeline = read(
        Trace::default()
            .at(50, 7, |stats| {
                stats.varint(11, 300_000);
                stats.varint(11, 500_000);
            })
            .bundle(0, |cpu| {
                cpu.numbers(100, 0, 11, &[(1, 600_000), (2, 0)]);
            }),
    );
    assert_eq!(timeline.cpus[0].frequency.at(BootNanos::new(60)).unwrap().kilohertz(), 300_000);
    assert_eq!(timeline.cpus[0].frequency_is_polled_before, Some(BootNanos::new(100)));
    assert_eq!(timeline.cpus[1].frequency_is_polled_before, Some(timeline.window.end));
}

#[test]
fn slices_of_a_thread_that_moves_between_cpus() {
    let timeline = read(
        Trace::default()
            .bundle(0, |cpu| {
                cpu.print(100, 7, "B|7|outer").print(400, 7, "E|7").print(500, 7, "B|7|open");
            })
            .bundle(1, |cpu| {
                cpu.print(200, 7, "B|7|inner").print(250, 7, "I|7|now").print(300, 7, "E|7");
            }),
    );
    let thread = timeline.tasks.threads.iter().position(|t| t.tid.0 == 7).unwrap();
    let scope = SliceScope::Thread(ThreadId(thread as u32));
    let expected = [
        (scope, "outer", 100, 400, 0),
        (scope, "inner", 200, 300, 1),
        (scope, "now", 250, 250, 2),
        (scope, "open", 500, -1, 0),
    ];
    assert_eq!(all_slices(&timeline), expected);
}

#[test]
fn asynchronous_slices_get_rows_of_their_own() {
    let timeline = read(Trace::default().bundle(0, |cpu| {
        cpu.print(100, 7, "S|7|lock|1")
            .print(110, 7, "S|7|lock|1")
            .print(120, 7, "S|7|lock|2")
            .print(130, 7, "F|7|lock|1")
            .print(140, 7, "F|7|lock|2")
            .print(150, 7, "G|7|track|job|5")
            .print(160, 7, "H|7|track|5")
            .print(170, 7, "N|7|track|note");
    }));
    let found: Vec<_> = all_slices(&timeline)
        .into_iter()
        .map(|(_, name, start, end, _)| (name, start, end))
        .collect();
    let expected = [("lock", 100, 130), ("lock", 120, 140), ("job", 150, 160), ("note", 170, 170)];
    assert_eq!(found, expected);
    assert_eq!(timeline.code.slices.tracks.len(), 3);
}

#[test]
fn counters_and_drivers_marks() {
    let timeline = read(Trace::default().bundle(0, |cpu| {
        cpu.print(100, 7, "C|7|depth|3")
            .print(200, 8, "C|7|depth|-4")
            .print(250, 8, "C|1|ScreenState|2")
            .event(300, 9, 16, |clock| {
                clock.string(1, "ddr");
                clock.varint(2, 55);
            })
            .event(400, 9, 333, |sde| {
                sde.varint(1, 9);
                sde.string(2, "commit");
                sde.varint(5, 1);
            })
            .event(450, 9, 333, |sde| {
                sde.varint(1, 9);
                sde.varint(5, 0);
            })
            .event(500, 9, 331, |zero| {
                zero.varint(1, 4);
                zero.string(2, "level");
                zero.varint(3, 9);
                zero.int(4, 6);
            });
    }));
    let process = |pid: u32| {
        let index = timeline.tasks.processes.iter().position(|p| p.pid.0 == pid).unwrap();
        CounterScope::Process(wattle_timeline::ProcessId(index as u32))
    };
    check_counter(&timeline, "depth", process(7), &[(100, 3.0), (200, -4.0)]);
    check_counter(&timeline, "level", process(9), &[(500, 6.0)]);
    check_counter(&timeline, "ScreenState", CounterScope::Global, &[(250, 2.0)]);
    check_counter(&timeline, "ddr Frequency", CounterScope::Global, &[(300, 55.0)]);
    let found: Vec<_> = all_slices(&timeline).into_iter().map(|s| (s.1, s.2, s.3)).collect();
    assert_eq!(found, [("commit", 400, 450)]);
}

#[test]
fn gpu_and_bus() {
    let timeline = read(Trace::default().bundle(0, |cpu| {
        cpu.numbers(100, 1, 332, &[(1, 0), (2, 151_000)])
            .numbers(200, 1, 548, &[(2, 0), (3, 2)])
            .numbers(300, 1, 488, &[(1, 0), (2, 10_005), (3, 150), (4, 250), (5, 80)])
            .event(400, 1, 541, |devfreq| {
                devfreq.string(1, "dsu");
                devfreq.varint(2, 610_000);
            });
    }));
    let gpu = &timeline.hardware.gpus[0];
    assert_eq!(gpu.frequency.last().unwrap().1, Hertz::from_kilohertz(151_000));
    assert_eq!(gpu.power_state.last().unwrap().1, 2);
    assert_eq!((gpu.work[0].uid, gpu.work[0].active.value()), (Uid(10_005), 80));
    assert_eq!(
        timeline.hardware.devfreq[0].frequency.last().unwrap().1,
        Hertz::from_kilohertz(610_000)
    );
}

#[test]
fn meters() {
    let rail = |index: u64, name: &'static str| {
        move |rails: &mut wattle_wire::Writer| {
            rails.message(1, |r| {
                r.varint(1, index);
                r.string(2, name);
                r.varint(4, 10);
            });
            rails.message(2, |e| {
                e.varint(1, index);
                e.varint(2, 5);
                e.varint(3, 100 + index);
            });
        }
    };
    let timeline = read(
        Trace::default()
            .at(100, 40, rail(0, "VSYS"))
            .at(100, 40, rail(1, "GPU"))
            .at(200, 38, |battery| {
                battery.int(1, 4_000_000);
                battery.float(2, 83.0);
                battery.int(3, -250_000);
                battery.string(5, "second");
                battery.int(7, 3_900_000);
            })
            .at(300, 77, |energy| {
                energy.message(1, |list| {
                    list.message(1, |consumer| {
                        consumer.varint(1, 4);
                        consumer.varint(2, 1);
                        consumer.string(3, "CPU_CLUSTER");
                        consumer.string(4, "CPUCL1");
                    });
                });
                energy.varint(2, 4);
                energy.int(3, 9_000);
                energy.message(4, |uid| {
                    uid.varint(1, 10_001);
                    uid.int(2, 4_000);
                });
            }),
    );
    let rails = timeline.energy.rails.iter().map(|r| (timeline.names.get(r.name), r.energy[0]));
    assert_eq!(rails.collect::<Vec<_>>(), [("VSYS", 100), ("GPU", 101)]);
    assert_eq!(timeline.energy.rails[0].time[0], BootNanos::new(5_000_000));
    let battery = &timeline.energy.batteries[0];
    assert_eq!(battery.name.map(|name| timeline.names.get(name)), Some("second"));
    let sample = battery.samples[0];
    assert_eq!((sample.current, sample.voltage), (Some(-250_000), Some(3_900_000)));
    assert_eq!((sample.charge, sample.capacity_percent), (Some(4_000_000), Some(83.0)));
    let energies: Vec<_> =
        timeline.energy.consumer_samples.iter().map(|e| (e.uid, e.energy)).collect();
    assert_eq!(energies, [(None, 9_000), (Some(Uid(10_001)), 4_000)]);
    assert_eq!(timeline.names.get(timeline.energy.consumers[0].kind), "CPU_CLUSTER");
}

#[test]
fn the_device() {
    let timeline = read(
        Trace::default()
            .packet(|packet| {
                packet.message(45, |info| {
                    info.message(1, |uts| {
                        uts.string(3, "5.10.107");
                        uts.string(4, "aarch64");
                    });
                    info.string(2, "google/bluejay/bluejay:13/X/1:user/release-keys");
                    info.varint(5, 33);
                    info.string(9, "Tensor");
                });
            })
            .packet(|packet| {
                packet.message(67, |cpus| {
                    cpus.message(1, |cpu| {
                        cpu.string(1, "AArch64 Processor");
                        cpu.varint(2, 600_000);
                        cpu.varint(2, 300_000);
                        cpu.varint(3, 160);
                    });
                });
            })
            .at(100, 86, |properties| {
                for (name, value) in
                    [("debug.tracing.screen_state", "2"), ("debug.tracing.mcc", "310")]
                {
                    properties.message(1, |property| {
                        property.string(1, name);
                        property.string(2, value);
                    });
                }
            }),
    );
    let device = &timeline.device;
    assert_eq!(device.device_name(), Some("bluejay"));
    assert_eq!((device.soc_name(), device.sdk), (Some("Tensor"), Some(33)));
    assert_eq!(device.kernel.as_deref(), Some("5.10.107 aarch64"));
    assert_eq!(device.cpus[0].capacity, Some(160));
    let khz: Vec<_> = device.cpus[0].frequencies.iter().map(|f| f.kilohertz()).collect();
    assert_eq!(khz, [300_000, 600_000]);
    check_counter(&timeline, "ScreenState", CounterScope::Global, &[(100, 2.0)]);
    check_counter(&timeline, "mcc", CounterScope::Global, &[(100, 310.0)]);
}

#[test]
fn everything_at_once() {
    let timeline = read_bytes("everything", &traces::everything()).unwrap();
    assert!(timeline.quality.worst().is_none(), "{:?}", timeline.quality);
    // Inside a packed packet.
    assert_eq!(timeline.energy.batteries[0].samples[0].current, Some(-250_000));
    // Interned by the writer, on the thread's own track.
    let interned = all_slices(&timeline).into_iter().find(|s| s.1 == "interned").unwrap();
    let SliceScope::Thread(thread) = interned.0 else { panic!("{interned:?}") };
    assert_eq!(timeline.tasks.threads[thread.index()].tid.0, 11);
    // A stack of two frames.
    let sample = timeline.code.samples.samples[0];
    let leaf = timeline.code.samples.sites[sample.site.unwrap() as usize];
    let function = |frame: u32| {
        let function = timeline.code.samples.frames[frame as usize].function;
        function.map(|name| timeline.names.get(name))
    };
    assert_eq!(function(leaf.frame), Some("leaf"));
    let root = timeline.code.samples.sites[leaf.caller.unwrap() as usize];
    assert_eq!((function(root.frame), root.caller), (Some("main"), None));
    let packet = timeline.hardware.packets[0];
    assert_eq!((packet.bytes, packet.direction), (1_500, Direction::Egress));
    assert_eq!(packet.uid, Some(Uid(10_123)));
}

#[test]
fn clocks_lead_to_boot_time_even_when_told_of_late() {
    let snapshot = |trace: Trace| {
        trace.at(1, 6, |snapshot| {
            for (clock, time) in [(6, 1_000_000), (3, 900_000)] {
                snapshot.message(1, |c| {
                    c.varint(1, clock);
                    c.varint(2, time);
                });
            }
        })
    };
    let battery = |trace: Trace| {
        trace.packet(|packet| {
            packet.varint(8, 950_000);
            packet.varint(58, 3);
            packet.message(38, |battery| battery.int(3, 5));
        })
    };
    for trace in [battery(snapshot(Trace::default())), snapshot(battery(Trace::default()))] {
        let timeline = read(trace);
        assert_eq!(timeline.energy.batteries[0].samples[0].time, BootNanos::new(1_050_000));
    }
    let without = read_bytes("without", &battery(Trace::default()).bytes()).unwrap();
    assert!(without.energy.batteries.is_empty());
    assert_eq!(without.quality.artifacts[0].notes[0].code, "unknown-clock");
}

#[test]
fn what_is_not_known_is_counted_by_name_or_number() {
    let trace = Trace::default()
        .at(100, 39, |_log| {})
        .at(100, 1_234, |_unknown| {})
        .bundle(0, |cpu| {
            cpu.numbers(100, 7, 313, &[(1, 1)]).numbers(100, 7, 9_999, &[(1, 1)]);
            cpu.print(100, 7, "just text");
        })
        .packet(|packet| {
            packet.varint(98, 5);
            packet.message(38, |battery| battery.int(3, 5));
        });
    let timeline = read_bytes("generated", &trace.bytes()).unwrap();
    let unread = &timeline.quality.artifacts[0].unread;
    for name in ["android_log", "packet 1234", "rss_stat", "ftrace 9999"] {
        assert_eq!(unread.get(name), Some(&1), "{unread:?}");
    }
    let notes = &timeline.quality.artifacts[0].notes;
    assert!(notes.iter().any(|note| note.code == "other-machines" && note.count == 1), "{notes:?}");
    assert!(timeline.energy.batteries.is_empty());
}

#[test]
fn a_writer_that_lost_packets_is_not_believed() {
    let event = |trace: Trace, time: u64, flags: u64, dropped: bool| {
        trace.packet(|packet| {
            packet.varint(8, time);
            packet.varint(10, 3);
            packet.varint(13, flags);
            packet.bool(42, dropped);
            if flags & 1 != 0 {
                packet.message(12, |interned| {
                    interned.message(2, |name| {
                        name.varint(1, 1);
                        name.string(2, "draw");
                    });
                });
            }
            packet.message(11, |event| {
                event.varint(9, 3);
                event.varint(10, 1);
                event.varint(11, 1);
            });
        })
    };
    let mut trace = Trace::default();
    for (time, flags, dropped) in
        [(1, 1, true), (2, 2, false), (3, 2, true), (4, 2, false), (5, 1, false)]
    {
        trace = event(trace, time, flags, dropped);
    }
    let timeline = read_bytes("lost", &trace.bytes()).unwrap();
    let found: Vec<_> = all_slices(&timeline).into_iter().map(|s| (s.1, s.2)).collect();
    assert_eq!(found, [("draw", 1), ("draw", 2), ("draw", 5)]);
    assert_eq!(timeline.quality.artifacts[0].lost_events, 1);
}
