//! Parts that the tests share: programs that are compiled while they run, and tools to compare with.

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_dex::{AccessFlags, ClassAssembly, DexFile, Opcode};
use wattle_symbols::Place;
use wattle_timeline::{
    CallSite, EventId, Frame, FrameAddress, StackSamples, StackTotal, ThreadId, Timeline,
};

/// The output of an outside tool, which the test requires to be installed.
#[track_caller]
pub fn tool(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(name).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A program with calls that the compiler puts in each other's place, two deep, by force.
pub const PROGRAM: &str = "\
__attribute__((noinline)) int leaf(int x) {
    volatile int y = x * 3;
    return y + 1;
}
static inline __attribute__((always_inline)) int inner(int x) {
    return leaf(x) + leaf(x + 1);
}
static inline __attribute__((always_inline)) int middle(int x) {
    int sum = inner(x) * 2;
    return sum + inner(x + 5);
}
__attribute__((noinline)) int outer(int x) {
    return middle(x) +
        leaf(x);
}
int main(int argc, char **argv) {
    return outer(argc) + argv[0][0];
}
";

/// A folder with programs in it.
pub struct Bench(pub tempfile::TempDir);

impl Bench {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Compiles a source.
    #[track_caller]
    pub fn compile(&self, compiler: &str, source: &str, flags: &[&str], name: &str) -> PathBuf {
        let is_cpp = compiler.ends_with("++");
        let file = self.text(if is_cpp { "program.cc" } else { "program.c" });
        std::fs::write(&file, source).unwrap();
        let to = self.text(name);
        tool(compiler, &[flags, &["-o", &to, &file]].concat());
        self.path(name)
    }
}

/// A function as `nm -S` lists it: start, size, name.
pub fn functions(file: &Path, flags: &[&str]) -> Vec<(u64, u64, String)> {
    let file = file.to_str().unwrap();
    let listed = tool("nm", &[&["-S", "--defined-only"], flags, &[file]].concat());
    let function = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [start, size, kind, name] = *fields.as_slice() else { return None };
        let number = |text| u64::from_str_radix(text, 16).ok();
        "TtWwi".contains(kind).then_some(())?;
        Some((number(start)?, number(size)?, name.to_owned()))
    };
    listed.lines().filter_map(function).collect()
}

/// Places as `function file line`, files without their folders.
pub fn shown(places: &[Place]) -> Vec<String> {
    let of = |it: &Place| {
        let file = it.file.as_deref().and_then(|file| file.rsplit('/').next()).unwrap_or("?");
        format!(
            "{} {file}:{}",
            it.function,
            it.line.map_or("?".to_owned(), |line| line.to_string())
        )
    };
    places.iter().map(of).collect()
}

/// The output of `addr2line -i -f` for addresses, in the same form.
pub fn addr2line(tool_name: &str, file: &Path, addresses: &[u64]) -> Vec<Vec<String>> {
    let mut arguments = vec!["-i", "-f", "-a", "-C", "-e", file.to_str().unwrap()];
    let texts: Vec<String> = addresses.iter().map(|it| format!("0x{it:x}")).collect();
    arguments.extend(texts.iter().map(String::as_str));
    let text = tool(tool_name, &arguments);
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            found.push(Vec::new());
            continue;
        }
        let place = lines.next().unwrap_or_default().split(" (").next().unwrap_or_default();
        let place = place.rsplit('/').next().unwrap_or_default().replace(":0", ":?");
        let place = place.replace("??", "?");
        found.last_mut().unwrap().push(format!("{line} {place}"));
    }
    found
}

pub fn in_elf(address: u64) -> FrameAddress {
    FrameAddress::InElf(address)
}

/// A timeline of one stack, outermost first, `count` times.
pub fn stack(timeline: &mut Timeline, frames: &[Frame], count: usize) {
    let samples: &mut StackSamples = &mut timeline.code.samples;
    let mut caller = None;
    for frame in frames {
        samples.frames.push(*frame);
        samples.sites.push(CallSite { caller, frame: samples.frames.len() as u32 - 1 });
        caller = Some(samples.sites.len() as u32 - 1);
    }
    let total = StackTotal { site: caller, weight: 1, event: EventId(0), thread: ThreadId::IDLE };
    samples.totals.extend(std::iter::repeat_n(total, count));
}

/// The stacks of a timeline as text, the innermost first; what is inlined has a `+` in front.
pub fn stacks(timeline: &Timeline) -> Vec<Vec<String>> {
    let of = |frame: &Frame| {
        let name = frame.function.map_or("?", |name| timeline.names.get(name));
        format!("{}{name}", if frame.inlined { "+" } else { "" })
    };
    let totals = timeline.code.samples.totals.iter();
    totals.map(|it| timeline.code.samples.stack(it.site).map(of).collect()).collect()
}

pub fn note<'t>(timeline: &'t Timeline, code: &str) -> Option<&'t str> {
    let mut notes = timeline.quality.notes.iter();
    notes.find(|note| note.code == code).map(|note| note.text.as_str())
}

/// A Dalvik executable of two methods, `Lmade/Main;->one()I` and `two()I`.
pub fn made_code() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let mut class = ClassAssembly::new(&mut file, "Lmade/Main;", "Ljava/lang/Object;");
    for (name, value) in [("one()I", 1), ("two()I", 2)] {
        let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
        let method = class.method(name, access, (1, 0), |code| {
            code.int(0, value).op(Opcode::RETURN, &[0]);
        });
        method.unwrap();
    }
    class.finish();
    file.write().unwrap()
}
