//! The programs.

use std::path::{Path, PathBuf};

use super::{generated, tools};

/// Known facts about a program's events.
#[derive(Clone, Copy, Debug)]
pub enum Events {
    /// All are those that the runtime's own trace tells.
    Traced,
    /// The runtime writes its trace when it ends in order, which this program does not: thread, event, method.
    Written(&'static [(&'static str, &'static str, &'static str)]),
    /// Their number depends on the size of frames.
    Unknown,
}

/// Which executable a program is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executable {
    Java,
    Smali,
    Jumbo,
}

/// A class with `main`.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub main: &'static str,
    pub executable: Executable,
    pub events: Events,
    /// Whether the interpreter that can be traced runs it with probes. That of Android 11 loses handlers beyond
    /// 65536 units: it fails so with any program, `beyond` among the generated ones only gets there by its probes.
    pub traceable: bool,
}

const fn java(main: &'static str) -> Program {
    Program { main, executable: Executable::Java, events: Events::Traced, traceable: true }
}

const fn smali(main: &'static str) -> Program {
    Program { main, executable: Executable::Smali, events: Events::Traced, traceable: true }
}

/// Events until `System.exit`, by the source.
const EXIT: Events = Events::Written(&[
    ("hook", "enter", "lambda$main$0"),
    ("hook", "enter", "line"),
    ("hook", "exit", "line"),
    ("hook", "exit", "lambda$main$0"),
    ("main", "enter", "main"),
    ("main", "enter", "line"),
    ("main", "exit", "line"),
    ("main", "enter", "leave"),
    ("main", "enter", "leave"),
    ("main", "enter", "leave"),
]);

/// All programs.
pub const PROGRAMS: &[Program] = &[
    java("corpus.Arrays"),
    java("corpus.Constructors"),
    java("corpus.Enums"),
    java("corpus.Exceptions"),
    Program { main: "corpus.Exit", executable: Executable::Java, events: EXIT, traceable: true },
    java("corpus.Finally"),
    java("corpus.Framework"),
    java("corpus.Generics"),
    java("corpus.Initialisers"),
    java("corpus.Interfaces"),
    java("corpus.Lambdas"),
    java("corpus.Literals"),
    java("corpus.Monitors"),
    java("corpus.Nesting"),
    java("corpus.Recursion"),
    java("corpus.Reflection"),
    java("corpus.Resources"),
    java("corpus.Small"),
    Program {
        main: "corpus.StackOverflow",
        executable: Executable::Java,
        events: Events::Unknown,
        traceable: true,
    },
    java("corpus.StackTraces"),
    java("corpus.Switches"),
    java("corpus.Threads"),
    java("corpus.Uncaught"),
    java("corpus.UncaughtInThread"),
    java("corpus.Values"),
    java("corpus.WideMath"),
    Program { traceable: false, ..smali("corpus.made.Beyond") },
    smali("corpus.made.Far"),
    smali("corpus.made.Frames"),
    Program {
        main: "corpus.made.Jumbo",
        executable: Executable::Jumbo,
        events: Events::Traced,
        traceable: true,
    },
    smali("corpus.odd.Made"),
    smali("corpus.odd.Odd"),
];

/// The executables.
pub struct Corpus {
    pub java: PathBuf,
    pub smali: PathBuf,
    pub jumbo: PathBuf,
    /// With the class that stands in for the runtime class.
    pub recorder: PathBuf,
    /// With the class that runs another's `main` and exits.
    pub ending: PathBuf,
}

impl Corpus {
    /// Compiles all programs into a folder.
    pub fn make(folder: &Path) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus");
        let dex = |name: &str| folder.join(name);
        let corpus = Self {
            java: dex("java.dex"),
            smali: dex("smali.dex"),
            jumbo: dex("jumbo.dex"),
            recorder: dex("recorder.dex"),
            ending: dex("ending.dex"),
        };
        let written = |name: String, text: &str| {
            let path = folder.join(name + ".smali");
            std::fs::write(&path, text).unwrap();
            path
        };
        let sources = files(&here.join("java/corpus"));
        for name in sources.iter().filter_map(|it| it.file_stem()?.to_str()) {
            let listed = PROGRAMS.iter().any(|it| it.main == format!("corpus.{name}"));
            assert!(listed || name == "Say", "{name} is no program of the corpus");
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                tools::java(&sources, &folder.join("java"), &corpus.java);
                let recorder = files(&here.join("java/wattle/probe"));
                tools::java(&recorder, &folder.join("recorder"), &corpus.recorder);
                let ending = files(&here.join("java/ending"));
                tools::java(&ending, &folder.join("ending"), &corpus.ending);
            });
            let odd = files(&here.join("smali"));
            let mut sources = odd.clone();
            sources.push(written("Beyond".to_owned(), &generated::beyond()));
            sources.push(written("Far".to_owned(), &generated::far()));
            sources.push(written("Frames".to_owned(), &generated::frames()));
            tools::smali(&sources, &corpus.smali);
            let mut sources = odd;
            let parts = generated::jumbo();
            sources.extend(parts.into_iter().map(|(name, text)| written(name, &text)));
            tools::smali(&sources, &corpus.jumbo);
        });
        corpus
    }

    pub fn path(&self, executable: Executable) -> &Path {
        match executable {
            Executable::Java => &self.java,
            Executable::Smali => &self.smali,
            Executable::Jumbo => &self.jumbo,
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
