//! Stacks of programs of other machines, copied while QEMU runs them: their callers against those that gdb finds itself.
//!
//! gdb reads `.debug_frame` where there is one, which 32-bit Arm has beside `.ARM.exidx`, so that the two do not read the same tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use object::{Object as _, ObjectSegment as _, SegmentFlags};
use wattle_symbols::{Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{
    Architecture, CallSite, EventId, Frame, FrameAddress, FrameKind, MappedRange, StackCopy,
    StackRegisters, StackSample, ThreadId, Timeline,
};
use wattle_units::BootNanos;

use crate::support::{Bench, tool};

/// Without frame pointers, with a stack that grows while it runs, and with callers in the library of C.
const PROGRAM: &str = "\
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static int spin(int x) {
    volatile int y = x;
    for (int i = 0; i < 4; i++) y = y * 3 + i;
    return y;
}
__attribute__((noinline)) static int compare(const void *one, const void *other) {
    return spin(*(const int *)one) - spin(*(const int *)other) + 0 * *(const int *)one;
}
__attribute__((noinline)) static int deep(int depth, int x) {
    char *room = alloca(16 + depth * 8);
    memset(room, x, 16 + depth * 8);
    if (depth == 0) return spin(x) + room[3];
    return deep(depth - 1, x + room[1]) * 2 + room[2];
}
__attribute__((noinline)) static int sorted(int seed) {
    int numbers[16];
    for (int i = 0; i < 16; i++) numbers[i] = (i * 7919 + seed) % 16;
    qsort(numbers, 16, sizeof *numbers, compare);
    return numbers[seed % 16] + 1;
}
int main(void) {
    long sum = 0;
    for (int i = 0; i < 800; i++) sum += sorted(i) + deep(i % 24, i);
    return sum == 42;
}
";

const FLAGS: [&str; 5] = ["-O2", "-g", "-fomit-frame-pointer", "-fno-inline", "-static"];
/// `PF_X`.
const EXECUTABLE: u32 = 1;

/// A program at one of its stops.
#[derive(Debug, Default)]
struct Stop {
    registers: BTreeMap<String, u64>,
    /// Functions by gdb, the innermost first.
    functions: Vec<String>,
    stack: Vec<u8>,
}

/// Ends with the test.
struct Emulator(Child);

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program under an emulator and stops it so many times.
#[track_caller]
fn stops(bench: &Bench, program: &Path, (emulator, cpu): (&str, &str), stops: usize) -> Vec<Stop> {
    let (socket, output, script) =
        (bench.path("gdb.socket"), bench.text("stops"), bench.text("stops.py"));
    let _ = std::fs::remove_file(&socket);
    std::fs::write(&script, include_str!("stops.py")).unwrap();
    let mut command = Command::new(emulator);
    command.args(["-cpu", cpu, "-g"]).arg(&socket).arg(program);
    let running = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _emulator = Emulator(running);
    let until = Instant::now() + Duration::from_secs(30);
    while !socket.exists() {
        assert!(Instant::now() < until, "{emulator} does not wait for gdb");
        std::thread::sleep(Duration::from_millis(20));
    }
    let machine = emulator.trim_start_matches("qemu-");
    let gdb = Command::new("gdb-multiarch")
        .args(["-q", "-nx", "-batch", "-x", &script])
        .arg(program)
        .env("WATTLE_MACHINE", machine)
        .env("WATTLE_SOCKET", &socket)
        .env("WATTLE_OUTPUT", &output)
        .env("WATTLE_STOPS", stops.to_string())
        .output()
        .unwrap();
    assert!(gdb.status.success(), "{}", String::from_utf8_lossy(&gdb.stderr));
    let text = std::fs::read_to_string(&output).unwrap();
    let found = text.split("stop\n").skip(1).map(Stop::read).collect::<Vec<_>>();
    assert_eq!(found.len(), stops, "{}", String::from_utf8_lossy(&gdb.stderr));
    found
}

impl Stop {
    /// Of the lines that the script writes.
    fn read(text: &str) -> Self {
        let mut stop = Self::default();
        for line in text.lines() {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                ["register", name, value] => {
                    stop.registers.insert((*name).to_owned(), value.parse().unwrap());
                }
                ["function", name] => stop.functions.push((*name).to_owned()),
                ["stack", bytes] => {
                    let byte = |at| u8::from_str_radix(&bytes[at..at + 2], 16).unwrap();
                    stop.stack = (0..bytes.len()).step_by(2).map(byte).collect();
                }
                _ => {}
            }
        }
        stop
    }

    fn register(&self, name: &str) -> u64 {
        self.registers[name]
    }

    fn copied(&self, architecture: Architecture) -> StackRegisters {
        let (counter, stack) = (self.register("pc"), self.register("sp"));
        if architecture == Architecture::Arm64 {
            let (frame, link) = (self.register("x29"), self.register("x30"));
            return StackRegisters { counter, stack, frame, link, arm: None };
        }
        let mut all = [0; 16];
        for (number, to) in all.iter_mut().enumerate() {
            let name = match number {
                13 => "sp".to_owned(),
                14 => "lr".to_owned(),
                15 => "pc".to_owned(),
                number => format!("r{number}"),
            };
            *to = self.register(&name) as u32;
        }
        let (frame, link) = (self.register("r11"), self.register("lr"));
        StackRegisters { counter, stack, frame, link, arm: Some(all) }
    }
}

/// A recording of a sample at each stop.
fn recording(program: &Path, architecture: Architecture, stops: &[Stop]) -> Timeline {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let mut timeline = Timeline::default();
    let mapping = timeline.names.intern(program.to_str().unwrap());
    let range = |segment: object::Segment<'_, '_>| {
        let SegmentFlags::Elf { p_flags, .. } = segment.flags() else { return None };
        (p_flags.0 & EXECUTABLE != 0).then(|| MappedRange {
            start: segment.address(),
            end: segment.address() + segment.size(),
            offset: segment.file_range().0,
            mapping,
            kind: FrameKind::Native,
            is_memory: false,
        })
    };
    let ranges: Vec<_> = file.segments().filter_map(range).collect();
    let [code] = ranges.as_slice() else { panic!("{ranges:?}") };
    let (start, offset) = (code.start, code.offset);
    let samples = &mut timeline.code.samples;
    for (stop, number) in stops.iter().zip(0_u32..) {
        let registers = stop.copied(architecture);
        let address = FrameAddress::InFile(registers.counter - start + offset);
        samples.frames.push(Frame { mapping: Some(mapping), address, ..Frame::default() });
        samples.sites.push(CallSite { caller: None, frame: number });
        samples.samples.push(StackSample {
            time: BootNanos::new(i64::from(number)),
            cpu: None,
            thread: ThreadId::IDLE,
            site: Some(number),
            event: EventId(0),
            weight: 1,
            is_truncated: false,
        });
        samples.copies.list.push(StackCopy {
            sample: number,
            architecture,
            registers,
            start: samples.copies.bytes.len(),
            length: stop.stack.len(),
            space: 0,
        });
        samples.copies.bytes.extend(&stop.stack);
    }
    samples.copies.spaces.push(ranges);
    timeline
}

/// Functions from the innermost to `main`, without what compilers add to their names (`.part.0`), and without the underscores that are all
/// in which names of one function of the library of C differ.
fn to_main<'a>(functions: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for function in functions {
        let name = function.split('.').next().unwrap_or(function);
        found.push(name.trim_start_matches('_'));
        if function == "main" {
            break;
        }
    }
    found
}

/// Unwinds the stacks of `copied` and compares with gdb's functions of `judged`, which is the same run.
#[track_caller]
fn check(program: &Path, architecture: Architecture, copied: &[Stop], judged: &[Stop]) {
    let mut timeline = recording(program, architecture, copied);
    let sources = Sources::open(&[program.to_owned()], &[], None).unwrap();
    let done = symbolise(&mut timeline, &sources);
    let samples = &timeline.code.samples;
    let (mut equal, mut all, mut differences) = (0, 0, Vec::new());
    for (sample, stop) in samples.samples.iter().zip(judged) {
        let frames = samples.stack(sample.site).filter(|it| !it.inlined);
        let found =
            to_main(frames.map(|it| it.function.map_or("?", |name| timeline.names.get(name))));
        let expected = to_main(stop.functions.iter().map(String::as_str));
        assert_eq!(expected.last(), Some(&"main"), "gdb is lost: {expected:?}");
        all += expected.len().max(found.len());
        equal += found.iter().zip(&expected).filter(|(one, other)| one == other).count();
        if found != expected {
            differences.push(format!("{found:?}, gdb {expected:?}"));
        }
    }
    assert!(all > 500, "{all} frames are too few");
    // What gdb has no name for is a stub behind the symbol `_init`, and not that function.
    let innermost = samples.samples.iter().filter_map(|it| samples.stack(it.site).next());
    let named = innermost.filter_map(|it| it.function).map(|name| timeline.names.get(name));
    assert_eq!(named.filter(|name| *name == "_init").count(), 0);
    assert!(
        equal * 100 >= all * 98,
        "{equal} of {all} frames are equal: {:#?}",
        differences.iter().take(5).collect::<Vec<_>>()
    );
    // Behind `main` is the library's beginning of a program, where stacks end.
    assert!(done.unwound.complete * 100 >= copied.len() as u64 * 95, "{:?}", done.unwound);
}

#[requires(program = "aarch64-linux-gnu-gcc", program = "qemu-aarch64", program = "gdb-multiarch")]
#[test]
fn callers_on_64_bit_arm_are_those_of_gdb() {
    let bench = Bench::new();
    let program = bench.compile("aarch64-linux-gnu-gcc", PROGRAM, &FLAGS, "arm64");
    let found = stops(&bench, &program, ("qemu-aarch64", "max"), 150);
    check(&program, Architecture::Arm64, &found, &found);
}

/// Return addresses are signed in the one run and are not in the other, which is the same but for that.
#[requires(program = "aarch64-linux-gnu-gcc", program = "qemu-aarch64", program = "gdb-multiarch")]
#[test]
fn signed_return_addresses_are_followed() {
    let bench = Bench::new();
    let flags = [&FLAGS[..], &["-mbranch-protection=standard"]].concat();
    let program = bench.compile("aarch64-linux-gnu-gcc", PROGRAM, &flags, "signed");
    let plain = stops(&bench, &program, ("qemu-aarch64", "max,pauth=off"), 150);
    let signed = stops(&bench, &program, ("qemu-aarch64", "max"), 150);
    let counters = |stops: &[Stop]| stops.iter().map(|it| it.register("pc")).collect::<Vec<_>>();
    assert_eq!(counters(&plain), counters(&signed), "one run");
    let is_signed = |(one, other): &(&Stop, &Stop)| one.stack != other.stack;
    let differ = plain.iter().zip(&signed).filter(is_signed).count();
    assert!(differ > 100, "{differ} stacks have signatures");
    check(&program, Architecture::Arm64, &signed, &plain);
}

#[requires(program = "arm-linux-gnueabihf-gcc", program = "qemu-arm", program = "gdb-multiarch")]
#[test]
fn callers_on_32_bit_arm_are_those_of_gdb() {
    let bench = Bench::new();
    let flags = [&FLAGS[..], &["-funwind-tables"]].concat();
    for instructions in ["-mthumb", "-marm"] {
        let flags = [&flags[..], &[instructions]].concat();
        let program = bench.compile("arm-linux-gnueabihf-gcc", PROGRAM, &flags, "arm");
        let found = stops(&bench, &program, ("qemu-arm", "max"), 80);
        check(&program, Architecture::Arm, &found, &found);
    }
    // Without what only debuggers read: the tables that programs carry are enough.
    let program = bench.compile("arm-linux-gnueabihf-gcc", PROGRAM, &flags, "arm");
    let found = stops(&bench, &program, ("qemu-arm", "max"), 80);
    tool("arm-linux-gnueabihf-strip", &["-g", program.to_str().unwrap()]);
    check(&program, Architecture::Arm, &found, &found);
}
