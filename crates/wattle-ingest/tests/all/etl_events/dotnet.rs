//! Methods that .NET compiled, loaded and unloaded, in logs that are written here.

use wattle_timeline::{FrameAddress, FrameKind, Timeline};

use super::writer::Log;
use super::{image, read};

/// A GUID as Windows lays it out in memory.
fn guid(text: &str) -> [u8; 16] {
    let digits: Vec<u8> = text.bytes().filter(|it| *it != b'-').collect();
    let byte = |at: usize| {
        u8::from_str_radix(std::str::from_utf8(&digits[2 * at..2 * at + 2]).unwrap(), 16).unwrap()
    };
    [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map(byte)
}

const RUNTIME: &str = "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4";
const RUNDOWN: &str = "a669021c-c450-4609-a035-5af59af4df18";
const METHOD_CLASS: &str = "3044f61a-99b0-4c21-b203-d39423c73b00";
const LOADER_CLASS: &str = "d00792da-07b7-40f5-97eb-5d974e054740";

const JITTED: u32 = 8;

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

/// `MethodLoadVerbose` and its kin: module, start, size, flags, type, method.
fn method(
    module: u64,
    (start, size): (u64, u32),
    flags: u32,
    (class, name): (&str, &str),
) -> Vec<u8> {
    let mut bytes = fields!(1_u64, module, start, size, 0x0600_0001_u32, flags);
    bytes.extend([utf16(class), utf16(name), utf16("instance void  (int32)")].concat());
    bytes
}

/// `ModuleLoad` and its kin.
fn module(module: u64, file: &str) -> Vec<u8> {
    let mut bytes = fields!(module, 2_u64, 8_u32, 0_u32);
    bytes.extend([utf16(file), utf16("")].concat());
    bytes
}

/// A sample of a thread and where it was.
fn sample(log: &mut Log, time: u64, pid: u32, address: u64) {
    let tid = pid + 1;
    log.kernel((0, time), (2, 0x0f, 46), &fields!(address, tid, 1_u32)).kernel(
        (0, time + 1),
        (2, 0x18, 32),
        &fields!(time, pid, tid, address),
    );
}

/// The frame of each sample: function, file, kind.
fn frames(timeline: &Timeline) -> Vec<(&str, &str, FrameKind)> {
    let samples = &timeline.code.samples;
    let name = |it: Option<wattle_timeline::NameId>| it.map_or("", |it| timeline.names.get(it));
    let frame = |it: &wattle_timeline::StackSample| {
        let frame = samples.stack(it.site).next().unwrap();
        (name(frame.function), name(frame.mapping), frame.kind)
    };
    samples.samples.iter().map(frame).collect()
}

#[test]
fn memory_of_methods_is_used_again() {
    let (runtime, rundown) = (guid(RUNTIME), guid(RUNDOWN));
    let mut log = Log::default();
    let place = (0x5000, 0x40);
    // Before anything is there; one method, none, another one; one that only the list at the end names.
    sample(&mut log, 1000, 40, 0x5010);
    log.of_provider(
        (0, 1100),
        40,
        (runtime, 143),
        &method(7, place, JITTED, ("A.B`1[System.Int32]", ".ctor")),
    );
    sample(&mut log, 1200, 40, 0x5010);
    sample(&mut log, 1210, 40, 0x5040);
    sample(&mut log, 1220, 44, 0x5010);
    log.of_provider(
        (0, 1300),
        40,
        (runtime, 144),
        &method(7, place, JITTED, ("A.B`1[System.Int32]", ".ctor")),
    );
    sample(&mut log, 1400, 40, 0x5010);
    log.of_provider((0, 1500), 40, (runtime, 143), &method(8, (0x5000, 0x20), JITTED, ("", "Run")));
    sample(&mut log, 1600, 40, 0x501f);
    sample(&mut log, 1610, 40, 0x5020);
    // Nothing said that it went.
    log.of_provider((0, 1700), 40, (runtime, 143), &method(7, (0x5000, 0x80), JITTED, ("C", "Go")));
    sample(&mut log, 1800, 40, 0x5010);
    sample(&mut log, 1810, 40, 0x6000);
    log.of_provider((0, 1900), 40, (rundown, 144), &method(7, (0x5000, 0x80), JITTED, ("C", "Go")))
        .of_provider(
            (0, 1901),
            40,
            (rundown, 144),
            &method(7, (0x6000, 0x10), JITTED, ("C", "Old")),
        )
        .of_provider((0, 1902), 40, (rundown, 154), &module(7, r"C:\app\lib.dll"))
        .of_provider((0, 1903), 40, (rundown, 154), &module(8, ""));
    let timeline = read(&log);
    let (none, lib) = (("", "", FrameKind::Native), r"C:\app\lib.dll");
    let jitted = |name, file| (name, file, FrameKind::Jit);
    let expected = [
        none,
        jitted("A.B`1[System.Int32]..ctor", lib),
        none,
        none,
        none,
        jitted("Run", ""),
        none,
        jitted("C.Go", lib),
        jitted("C.Old", lib),
    ];
    assert_eq!(frames(&timeline), expected);
}

/// Runtimes before 4 write the same payloads as classic events.
#[test]
fn classic_events_name_methods_and_modules() {
    let (methods, loader) = (guid(METHOD_CLASS), guid(LOADER_CLASS));
    let mut log = Log::default();
    log.classic((0, 1000), 40, (loader, 33), &module(7, r"C:\old\app.exe")).classic(
        (0, 1100),
        40,
        (methods, 37),
        &method(7, (0x5000, 0x40), JITTED, ("Old.Main", "Run")),
    );
    sample(&mut log, 1200, 40, 0x5000);
    log.classic(
        (0, 1300),
        40,
        (methods, 38),
        &method(7, (0x5000, 0x40), JITTED, ("Old.Main", "Run")),
    );
    sample(&mut log, 1400, 40, 0x5000);
    sample(&mut log, 1500, 40, 0x7000);
    log.classic(
        (0, 1600),
        40,
        (methods, 40),
        &method(7, (0x7000, 0x40), JITTED, ("Old.Main", "Main")),
    )
    // Without names: the module alone.
    .classic((0, 1700), 40, (methods, 36), &method(7, (0x8000, 0x40), JITTED, ("", ""))[..36]);
    sample(&mut log, 1800, 40, 0x8000);
    let timeline = read(&log);
    let app = r"C:\old\app.exe";
    let expected = [
        ("Old.Main.Run", app, FrameKind::Jit),
        ("", "", FrameKind::Native),
        ("Old.Main.Main", app, FrameKind::Jit),
        ("", app, FrameKind::Jit),
    ];
    assert_eq!(frames(&timeline), expected);
}

/// Code that was compiled ahead of time is in an image: its place there is kept, for whoever looks for its file.
#[test]
fn methods_of_native_images_are_named_in_their_image() {
    let mut log = Log::default();
    let native = r"C:\Windows\assembly\NativeImages\mscorlib.ni.dll";
    log.kernel((0, 900), (2, 3, 10), &image(0x7000_0000, 0x10_0000, 40, native));
    sample(&mut log, 1000, 40, 0x7000_1010);
    sample(&mut log, 1100, 40, 0x7000_9000);
    log.of_provider(
        (0, 1200),
        40,
        (guid(RUNDOWN), 144),
        &method(7, (0x7000_1000, 0x100), 0, ("System.String", "Concat")),
    )
    .of_provider((0, 1201), 40, (guid(RUNDOWN), 154), &module(7, r"C:\mscorlib.dll"));
    let timeline = read(&log);
    let expected =
        [("System.String.Concat", native, FrameKind::Java), ("", native, FrameKind::Native)];
    assert_eq!(frames(&timeline), expected);
    let first = timeline.code.samples.samples.first().unwrap();
    let frame = timeline.code.samples.stack(first.site).next().unwrap();
    assert_eq!(frame.address, FrameAddress::InElf(0x1010));
}

/// The number of a process that ended is given to another one, which has none of its methods.
#[test]
fn methods_go_with_their_process() {
    let mut log = Log::default();
    let process = |kind: u8, time: u64, log: &mut Log| {
        // `Process_V4_TypeGroup1` without a security id.
        let mut bytes = fields!(0_u64, 40_u32, 4_u32, 0_u32, 0_i32, 0_u64, 0_u32, 0_u32);
        bytes.extend(b"app.exe\0");
        bytes.extend([0; 4]);
        log.kernel((0, time), (4, 3, kind), &bytes);
    };
    process(1, 900, &mut log);
    let load = method(7, (0x5000, 0x40), JITTED, ("A", "Run"));
    log.of_provider((0, 1000), 40, (guid(RUNTIME), 143), &load);
    sample(&mut log, 1100, 40, 0x5000);
    process(2, 1200, &mut log);
    process(1, 1300, &mut log);
    sample(&mut log, 1400, 40, 0x5000);
    let names: Vec<String> =
        frames(&read(&log)).into_iter().map(|(name, ..)| name.to_owned()).collect();
    assert_eq!(names, ["A.Run", ""]);
}
