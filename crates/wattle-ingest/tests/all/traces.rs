//! Small traces, written packet by packet.

#![allow(dead_code, reason = "each test file uses some of them")]

use wattle_wire::Writer;

/// A trace made of packets.
#[derive(Default)]
pub struct Trace(Writer);

impl Trace {
    pub fn packet(mut self, write: impl FnOnce(&mut Writer)) -> Self {
        self.0.message(1, write);
        self
    }

    /// A packet with a timestamp and one data field that is a message.
    pub fn at(self, time: u64, field: u32, write: impl FnOnce(&mut Writer)) -> Self {
        self.packet(|packet| {
            packet.varint(8, time);
            packet.message(field, write);
        })
    }

    /// A bundle of kernel events of a CPU.
    pub fn bundle(self, cpu: u64, write: impl FnOnce(&mut Bundle<'_>)) -> Self {
        self.packet(|packet| {
            packet.message(1, |bundle| {
                bundle.varint(1, cpu);
                write(&mut Bundle(bundle));
            });
        })
    }

    pub fn bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

/// The events of one CPU.
pub struct Bundle<'a>(pub &'a mut Writer);

impl Bundle<'_> {
    pub fn event(
        &mut self,
        time: u64,
        tid: u64,
        number: u32,
        write: impl FnOnce(&mut Writer),
    ) -> &mut Self {
        self.0.message(2, |event| {
            event.varint(1, time);
            event.varint(2, tid);
            event.message(number, write);
        });
        self
    }

    /// An event whose fields are numbers.
    pub fn numbers(
        &mut self,
        time: u64,
        tid: u64,
        number: u32,
        fields: &[(u32, u64)],
    ) -> &mut Self {
        self.event(time, tid, number, |event| {
            for (field, value) in fields {
                event.varint(*field, *value);
            }
        })
    }

    pub fn print(&mut self, time: u64, tid: u64, text: &str) -> &mut Self {
        self.event(time, tid, 3, |print| print.string(2, text))
    }

    pub fn switch(
        &mut self,
        time: u64,
        prev: (u64, &str),
        state: u64,
        next: (u64, &str),
    ) -> &mut Self {
        self.event(time, prev.0, 4, |switch| {
            switch.string(1, prev.1);
            switch.varint(2, prev.0);
            switch.varint(4, state);
            switch.string(5, next.1);
            switch.varint(6, next.0);
        })
    }
}

/// A trace of the battery alone. It goes with [`everything`]: a second scheduler of the same time would be another recording.
pub fn battery() -> Vec<u8> {
    Trace::default().at(6_000, 38, |battery| battery.int(3, -250_000)).bytes()
}

/// A bit of everything that is read.
pub fn everything() -> Vec<u8> {
    let mut packed = Writer::new();
    packed.message(1, |packet| {
        packet.varint(8, 5_000);
        packet.message(38, |battery| battery.int(3, -250_000));
    });
    let mut deflated = Vec::new();
    {
        use std::io::Read;
        flate2::read::ZlibEncoder::new(packed.as_bytes(), flate2::Compression::fast())
            .read_to_end(&mut deflated)
            .unwrap();
    }
    Trace::default()
        .at(1, 6, |snapshot| {
            for (clock, time) in [(6, 1_000_000), (3, 900_000), (1, 7_000_000)] {
                snapshot.message(1, |c| {
                    c.varint(1, clock);
                    c.varint(2, time);
                });
            }
        })
        .at(1_000, 2, |tree| {
            tree.message(1, |process| {
                process.varint(1, 10);
                process.varint(2, 1);
                process.string(3, "com.example.app");
                process.varint(5, 10_123);
            });
            tree.message(2, |thread| {
                thread.varint(1, 11);
                thread.varint(3, 10);
                thread.string(2, "RenderThread");
            });
        })
        .at(1_000, 47, |list| {
            list.message(1, |package| {
                package.string(1, "com.example.app");
                package.varint(2, 10_123);
            });
        })
        .bundle(0, |cpu| {
            cpu.switch(2_000, (0, "swapper/0"), 0, (10, "main"))
                .print(2_100, 10, "B|10|work\n")
                .numbers(2_200, 10, 11, &[(1, 300_000), (2, 0)])
                .print(2_300, 10, "C|10|depth|4\n")
                .print(2_400, 10, "S|10|job|7\n")
                .numbers(2_450, 10, 24, &[(1, 3)])
                .event(2_460, 10, 36, |irq| irq.string(2, "wlan0"))
                .numbers(2_470, 10, 37, &[(1, 4)])
                .numbers(2_480, 10, 25, &[(1, 3)])
                .print(2_500, 10, "E|10\n")
                .numbers(2_600, 10, 235, &[(1, 12), (3, 0x10000)])
                .switch(3_000, (10, "main"), 1, (11, "RenderThread"))
                .print(3_100, 11, "F|10|job|7\n")
                .switch(4_000, (11, "RenderThread"), 0x100, (0, "swapper/0"))
                .numbers(4_100, 0, 13, &[(1, 1), (2, 0)]);
        })
        .bundle(1, |cpu| {
            let bundle = &mut *cpu.0;
            bundle.message(4, |compact| {
                compact.packed(1, [2_050, 100, 100]);
                compact.packed(2, [0, 1, 0]);
                compact.packed(3, [20, 0, 21]);
                compact.packed(4, [120, 120, 120]);
                compact.string(5, "worker");
                compact.string(5, "swapper/1");
                compact.packed(6, [0, 1, 0]);
                compact.packed(7, [2_060, 50]);
                compact.packed(8, [10, 21]);
                compact.packed(9, [0, 1]);
            });
        })
        .at(5_000, 40, |rails| {
            rails.message(1, |rail| {
                rail.varint(1, 0);
                rail.string(2, "S2M_VDD_CPUCL2");
                rail.string(3, "Cpu");
                rail.varint(4, 1);
            });
            for (ms, energy) in [(1, 1_000), (2, 1_500)] {
                rails.message(2, |data| {
                    data.varint(1, 0);
                    data.varint(2, ms);
                    data.varint(3, energy);
                });
            }
        })
        .packet(|packet| packet.bytes(50, &deflated))
        .packet(|packet| {
            packet.varint(8, 6_000);
            packet.varint(10, 3);
            packet.varint(13, 1);
            packet.message(12, |interned| {
                interned.message(2, |name| {
                    name.varint(1, 1);
                    name.string(2, "interned");
                });
                for (iid, name) in [(1, "main"), (2, "leaf")] {
                    interned.message(5, |function| {
                        function.varint(1, iid);
                        function.string(2, name);
                    });
                    interned.message(6, |frame| {
                        frame.varint(1, iid);
                        frame.varint(2, iid);
                    });
                }
                interned.message(7, |stack| {
                    stack.varint(1, 1);
                    stack.varint(2, 1);
                    stack.varint(2, 2);
                });
            });
            packet.message(60, |track| {
                track.varint(1, 99);
                track.message(4, |thread| {
                    thread.varint(1, 10);
                    thread.varint(2, 11);
                });
            });
        })
        .packet(|packet| {
            packet.varint(8, 6_100);
            packet.varint(10, 3);
            packet.varint(13, 2);
            packet.message(11, |event| {
                event.varint(9, 1);
                event.varint(10, 1);
                event.varint(11, 99);
            });
        })
        .packet(|packet| {
            packet.varint(8, 6_200);
            packet.varint(10, 3);
            packet.varint(13, 2);
            packet.message(66, |sample| {
                sample.varint(1, 0);
                sample.varint(2, 10);
                sample.varint(3, 11);
                sample.varint(4, 1);
            });
        })
        .at(7_000, 88, |packet| {
            packet.varint(1, 2);
            packet.string(2, "wlan0");
            packet.varint(3, 1_500);
            packet.varint(4, 10_123);
        })
        .bytes()
}
