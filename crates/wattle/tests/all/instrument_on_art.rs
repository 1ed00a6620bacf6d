//! Programs behave as before when they have probes, and the probes tell what happens: both in a real Android
//! runtime, whose own method trace is the judge.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::art::ArtHost;
use crate::corpus::command::{Asked, Instrumented, instrument};
use crate::corpus::event::{Event, Threads, check_same, check_same_whatever_the_names};
use crate::corpus::expectation::expected;
use crate::corpus::method_trace::{self, MethodTrace};
use crate::corpus::programs::{Corpus, Events, Executable, PROGRAMS, Program};
use crate::corpus::{recording, records, sections, tools};
use wattle_testdata::requires;

/// Exit status and output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A program without probes.
struct Original {
    /// Run by the fast interpreter.
    ran: Ran,
    /// Run by the other, which is the only one that can be traced.
    traced: Ran,
    trace: Option<MethodTrace>,
}

struct Bench {
    art: ArtHost,
    folder: PathBuf,
    corpus: Corpus,
    originals: BTreeMap<&'static str, Original>,
}

/// The programs compiled and run once.
fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(Bench::make)
}

impl Bench {
    fn make() -> Self {
        let art = ArtHost::new();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let corpus = Corpus::make(&folder);
        let mut bench = Self { art, folder, corpus, originals: BTreeMap::new() };
        let originals = Mutex::new(BTreeMap::new());
        in_parallel(PROGRAMS, |program| {
            let original = bench.original(program);
            originals.lock().unwrap().insert(program.main, original);
        });
        bench.originals = originals.into_inner().unwrap();
        bench
    }

    fn original(&self, program: &Program) -> Original {
        let class_path = [self.corpus.path(program.executable).to_owned()];
        let ran = self.run(program, &class_path, &[], "original");
        let file = self.folder.join(format!("{}.trace", program.main));
        let traced = self.run(program, &class_path, &method_trace::options(&file), "traced");
        let trace = match program.events {
            Events::Traced => Some(MethodTrace::parse(&std::fs::read(&file).unwrap())),
            Events::Written(_) | Events::Unknown => None,
        };
        let _ = std::fs::remove_file(&file);
        Original { ran, traced, trace }
    }

    /// Runs a program to its end, which it must reach.
    #[track_caller]
    fn run(&self, program: &Program, class_path: &[PathBuf], vm: &[String], name: &str) -> Ran {
        let out = |kind: &str| self.folder.join(format!("{}.{name}.{kind}", program.main));
        let paths: Vec<_> = class_path.iter().map(|path| path.display().to_string()).collect();
        let mut command = self.art.command(&["-cp", &paths.join(":")]);
        // Options first; a class behind them is the one that runs the program.
        command.args(vm).arg(program.main);
        command.stdout(File::create(out("out")).unwrap());
        command.stderr(File::create(out("err")).unwrap());
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > Duration::from_mins(2) {
                child.kill().unwrap();
                panic!("{} {name}: does not end", program.main);
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text =
            |kind: &str| String::from_utf8_lossy(&std::fs::read(out(kind)).unwrap()).into_owned();
        Ran { status: status.code(), stdout: text("out"), stderr: text("err") }
    }

    /// The executables with probes.
    fn instrumented(&self, asked: Asked, name: &str) -> BTreeMap<&'static str, Instrumented> {
        let made = Mutex::new(BTreeMap::new());
        in_parallel(&[Executable::Java, Executable::Smali, Executable::Jumbo], |executable| {
            let key = match executable {
                Executable::Java => "java",
                Executable::Smali => "smali",
                Executable::Jumbo => "jumbo",
            };
            let folder = self.folder.join(name).join(key);
            let instrumented = instrument(self.corpus.path(*executable), asked, &folder);
            made.lock().unwrap().insert(key, instrumented);
        });
        made.into_inner().unwrap()
    }

    /// Runs everything with the recorder behind the probes and compares.
    #[track_caller]
    fn check(&self, asked: Asked, name: &str) {
        self.check_by(asked, name, |program, made| self.recorded(program, made, name));
    }

    /// Runs everything with probes and compares in a way that counts events.
    #[track_caller]
    fn check_by(
        &self,
        asked: Asked,
        name: &str,
        check: impl Fn(&Program, &Instrumented) -> usize + Sync + std::panic::RefUnwindSafe,
    ) {
        let instrumented = self.instrumented(asked, name);
        let calls = instrumented.values().filter_map(|it| it.summary["api_call_sites"].as_u64());
        assert_eq!(calls.sum::<u64>() > 100, asked.mode != "methods", "{name}: calls with probes");
        let failures = Mutex::new(Vec::new());
        let events = AtomicUsize::new(0);
        in_parallel(PROGRAMS, |program| {
            let made = &instrumented[match program.executable {
                Executable::Java => "java",
                Executable::Smali => "smali",
                Executable::Jumbo => "jumbo",
            }];
            let checked = std::panic::catch_unwind(|| check(program, made));
            match checked {
                Ok(count) => {
                    events.fetch_add(count, Ordering::Relaxed);
                }
                Err(said) => {
                    let said = said.downcast_ref::<String>().cloned().unwrap_or_default();
                    failures.lock().unwrap().push(said);
                }
            }
        });
        let failures = failures.into_inner().unwrap();
        assert!(failures.is_empty(), "{} programs:\n{}", failures.len(), failures.join("\n\n"));
        let events = events.into_inner();
        assert!(events > 5_000, "{name}: only {events} events");
    }

    /// Checks the output of the sink's own runtime class.
    fn sunk(&self, program: &Program, made: &Instrumented, name: &str, sink: &str) -> usize {
        let what = format!("{name}: {}", program.main);
        let original = &self.originals[program.main];
        let Some(trace) = &original.trace else { return 0 };
        let mut expected = expected(trace, &made.map);
        let place = self.folder.join(format!("{}.{name}.sunk", program.main));
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(&place).unwrap();
        let mut class_path = made.code.clone();
        class_path.push(made.runtime.clone());
        if sink == "trace" {
            let option = format!("-Dwattle.trace={}", place.join("sections").display());
            let ran = self.run(program, &class_path, &[option], name);
            check_ran(&what, &original.ran, &ran);
            let lines = std::fs::read_to_string(place.join("sections")).unwrap_or_default();
            let found = sections::read(&lines, &made.map);
            let told = sections::told_by_sections(&expected);
            check_same_whatever_the_names(&what, &told, &found);
        } else {
            // The launcher ends without hooks, as Android kills a process; `Ending` exits. It is seen in what the
            // program prints of its stack, so that the expectation is made with it, too.
            class_path.push(self.corpus.ending.clone());
            let original =
                [self.corpus.path(program.executable).to_owned(), self.corpus.ending.clone()];
            let traced = place.join("trace");
            let mut options = method_trace::options(&traced).to_vec();
            options.extend(["-Dending.stays=1", "ending.Ending"].map(str::to_owned));
            self.run(program, &original, &options, name);
            let trace = MethodTrace::parse(&std::fs::read(&traced).unwrap());
            std::fs::remove_file(&traced).unwrap();
            expected = self::expected(&trace, &made.map);
            let option = format!("-Dwattle.dir={}", place.display());
            self.run(program, &class_path, &[option, "ending.Ending".to_owned()], name);
            check_same(&what, &expected, &records::read(&place, &made.map));
        }
        std::fs::remove_dir_all(&place).unwrap();
        expected.values().map(Vec::len).sum()
    }

    fn recorded(&self, program: &Program, made: &Instrumented, name: &str) -> usize {
        let what = format!("{name}: {}", program.main);
        let original = &self.originals[program.main];
        let mut class_path = made.code.clone();
        class_path.push(self.corpus.recorder.clone());
        let file = self.folder.join(format!("{}.{name}.events", program.main));
        let record = format!("-Dcorpus.events={}", file.display());
        let mut lines = Vec::new();
        let traced = method_trace::options(&file.with_extension("trace"));
        let runs = [(&original.ran, &[][..]), (&original.traced, &traced[..])];
        for (before, vm) in runs.into_iter().take(1 + usize::from(program.traceable)) {
            let _ = std::fs::remove_file(&file);
            let mut vm = vm.to_vec();
            vm.push(record.clone());
            let ran = self.run(program, &class_path, &vm, name);
            check_ran(&what, before, &ran);
            lines.push(std::fs::read_to_string(&file).unwrap_or_default());
        }
        let _ = std::fs::remove_file(file.with_extension("trace"));
        let mut count = 0;
        for lines in &lines {
            count = lines.lines().count();
            if matches!(program.events, Events::Unknown) {
                continue;
            }
            let mut found = recording::read(lines, &made.map);
            let expected = match (program.events, &original.trace) {
                (Events::Traced, Some(trace)) => expected(trace, &made.map),
                (Events::Written(events), _) => {
                    // The source tells of its own methods.
                    for events in found.values_mut() {
                        events.retain(Event::is_of_a_method);
                    }
                    written(program, events, made)
                }
                _ => continue,
            };
            check_same(&what, &expected, &found);
        }
        count
    }
}

#[track_caller]
fn check_ran(what: &str, before: &Ran, after: &Ran) {
    for (kind, before, after) in
        [("out", &before.stdout, &after.stdout), ("err", &before.stderr, &after.stderr)]
    {
        let mut lines = before.lines().zip(after.lines()).enumerate();
        if let Some((line, (before, after))) = lines.find(|(_, (one, other))| one != other) {
            panic!(
                "{what}: standard {kind}, line {}\n  before {before}\n  after  {after}",
                line + 1
            );
        }
        assert_eq!(before.lines().count(), after.lines().count(), "{what}: lines of {kind}");
    }
    assert_eq!(before.status, after.status, "{what}: exit status");
}

/// The events that a program's source tells.
fn written(program: &Program, events: &[(&str, &str, &str)], made: &Instrumented) -> Threads {
    let mut threads = Threads::new();
    let methods = made.map.methods();
    for (thread, event, name) in events {
        let class = if *name == "line" { "corpus.Say" } else { program.main };
        let method = methods.iter().find(|it| it.name == *name && it.class == class);
        let Some(&method) = method else { continue };
        let event = match *event {
            "enter" => Event::Enter(method.clone()),
            _ => Event::Exit(method.clone()),
        };
        threads.entry((*thread).to_owned()).or_default().push(event);
    }
    threads
}

/// Does something with each item on all processors.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// Methods of the corpus that no rewriter may touch.
const UNTOUCHABLE: &[&str] = &["corpus.odd.Odd.leaking(Ljava/lang/Object;I)I"];

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn every_method_has_probes_but_those_that_cannot() {
    let bench = bench();
    let asked = Asked { mode: "methods", sink: "file", short: true };
    for (executable, made) in bench.instrumented(asked, "coverage") {
        let dex = match executable {
            "java" => &bench.corpus.java,
            "smali" => &bench.corpus.smali,
            _ => &bench.corpus.jumbo,
        };
        let probed: BTreeSet<_> = made.map.methods().iter().map(ToString::to_string).collect();
        let with_code: BTreeSet<_> = tools::methods_with_code(dex).into_iter().collect();
        let missing: Vec<_> = with_code.difference(&probed).map(String::as_str).collect();
        let invented: Vec<_> = probed.difference(&with_code).collect();
        assert!(invented.is_empty(), "{executable}: {invented:?}");
        let untouchable: Vec<_> =
            UNTOUCHABLE.iter().copied().filter(|it| with_code.contains(*it)).collect();
        assert_eq!(missing, untouchable, "{executable}: without probes");
        let count = |key: &str| made.summary[key].as_u64().expect("a number") as usize;
        assert_eq!(count("methods_with_code"), with_code.len(), "{executable}");
        assert_eq!(count("methods_probed"), probed.len(), "{executable}");
    }
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn entries_and_exits_are_those_of_the_runtime() {
    let bench = bench();
    bench.check(Asked { mode: "methods", sink: "file", short: true }, "methods");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn short_methods_are_left_alone() {
    let bench = bench();
    bench.check(Asked { mode: "methods", sink: "file", short: false }, "default");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn calls_are_those_of_the_runtime() {
    let bench = bench();
    bench.check(Asked { mode: "both", sink: "file", short: true }, "both");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn sections_and_records_tell_the_same() {
    let bench = bench();
    for sink in ["trace", "file"] {
        let name = format!("sink-{sink}");
        let asked = Asked { mode: "both", sink, short: true };
        bench.check_by(asked, &name, |program, made| bench.sunk(program, made, &name, sink));
    }
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn the_originals_do_what_they_are_for() {
    let bench = bench();
    for program in PROGRAMS {
        let original = &bench.originals[program.main];
        let status = match program.main {
            "corpus.Exit" => 3,
            "corpus.Uncaught" | "corpus.odd.Odd" => 1,
            _ => 0,
        };
        assert_eq!(original.ran.status, Some(status), "{}: {}", program.main, original.ran.stderr);
        assert!(original.ran.stdout.lines().count() > 1, "{} says nothing", program.main);
    }
}
