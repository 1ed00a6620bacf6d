//! A project of the demo's app for an editor: sources, builds, a recorded trace, and kept runs, one of which has tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_ledger::{ComponentId, TestBooking, TestEntry};
use wattle_store::{CodeVersion, NewRun, RunFacts, Store, StoreLocation};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos};

use crate::sample_project::{APP, calls, ledger};

const FEED_SYNC: &str = "package com.example.news

/** Fetches the feed in the background, and keeps it. */
class FeedSync(private val store: FeedStore, private val decoder: ImageDecoder) {
    private val parser = FeedParser()

    fun refresh(feed: Feed) {
        val items = parser.parse(feed.text)
        for (item in items) {
            item.image = decoder.decode(item.bytes)
        }
        store.save(items)
    }
}

class FeedParser {
    fun parse(text: String): List<Item> = text.lines().map(::Item)
}
";

const IMAGE_DECODER: &str = "package com.example.news

class ImageDecoder {
    fun decode(bytes: ByteArray): Bitmap {
        return BitmapFactory.decodeByteArray(bytes, 0, bytes.size)
    }
}
";

const FEED_TEST: &str = "package com.example.news

class FeedTest {
    @Test
    fun refreshes() {
        FeedSync(store, decoder).refresh(feed)
    }

    // @Test fun isNone() = Unit
    @Test fun scrolls() = Unit
}
";

/// The project: a run with tests and one of the fixed app on the branch `main`, and a trace of the wasteful app beside the sources of the
/// branch `images`.
pub struct VscodeProject {
    parent: tempfile::TempDir,
}

impl VscodeProject {
    pub fn new() -> Self {
        let project = Self { parent: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(project.folder()).expect("a folder");
        project.git(&["init", "-q", "-b", "main"]);
        project.write("app/src/main/java/com/example/news/FeedSync.kt", FEED_SYNC);
        project.write("app/src/main/java/com/example/news/ImageDecoder.kt", IMAGE_DECODER);
        project.write("app/src/androidTest/java/com/example/news/FeedTest.kt", FEED_TEST);
        project.write(
            "app/build.gradle.kts",
            "android {\n    defaultConfig {\n        applicationId = \"com.example.news\"\n    }\n}\n",
        );
        let measured = serde_json::json!({
            "name": "Recorded demo", "measures": "recording", "files": ["recorded/demo.pftrace"], "app": APP,
            "deviceModel": "recorded/phone.toml",
        });
        let tests = serde_json::json!({
            "name": "News tests", "measures": "app", "apk": "app/build/outputs/apk/debug/app-debug.apk",
            "testApk": "app/build/outputs/apk/androidTest/debug/app-debug-androidTest.apk",
        });
        let settings = serde_json::json!({
            "wattle.store": project.history(), "wattle.configurations": [measured, tests],
        });
        project.write(".vscode/settings.json", &settings.to_string());
        project.write(".gitignore", "recorded/\n.vscode/\n");
        project.commit("first");
        project.keep_tests(&project.history(), (0.060, 1_790_000_000_000));
        std::fs::create_dir(project.path("recorded")).expect("a folder");
        for (name, more) in [("demo", None), ("fixed", Some("--fixed"))] {
            let trace = format!("recorded/{name}.pftrace");
            let mut words = vec!["demo", "--quiet", "--no-open", "--no-keep", "--trace", &trace];
            words.extend(["--device-model", "recorded/phone.toml"]);
            words.extend(more);
            project.wattle(&words);
        }
        project.wattle(&[
            "report",
            "recorded/fixed.pftrace",
            "--device-model",
            "recorded/phone.toml",
            "--app",
            APP,
            "--keep",
            "--quiet",
        ]);
        project.git(&["switch", "-q", "-c", "images"]);
        project.commit("second");
        project
    }

    /// Its folder, whose name is in the title of the editor.
    pub fn folder(&self) -> PathBuf {
        self.parent.path().join("news")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn history(&self) -> PathBuf {
        self.path(".git/history")
    }

    pub fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("written");
    }

    /// The output of the program in the project.
    pub fn wattle(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        command.args(arguments).env("WATTLE_STORE", self.history());
        output(command.current_dir(self.folder()))
    }

    /// The program, but for `run`: in the place of a phone it has a run of the same tests that was recorded before, and notes its arguments.
    pub fn program_without_phone(&self) -> PathBuf {
        let later = self.path(".git/later");
        self.keep_tests(&later, (0.080, 1_900_000_000_000));
        let recorded = self.path(".git/tests.ledger.json.zst");
        let export = ["runs", "export", "run:1", recorded.to_str().expect("a path"), "--store"];
        self.wattle(&[export.as_slice(), &[later.to_str().expect("a path")]].concat());
        let (program, arguments) = (env!("CARGO_BIN_EXE_wattle"), self.arguments_of_run());
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = run ]; then\n  echo \"$@\" >'{}'\n  exec '{program}' runs import '{}'\nfi\nexec '{program}' \"$@\"\n",
            arguments.display(),
            recorded.display(),
        );
        let file = self.path(".git/wattle");
        std::fs::write(&file, script).expect("written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&file, executable).expect("an executable file");
        file
    }

    /// The file of the arguments of the last `run`.
    pub fn arguments_of_run(&self) -> PathBuf {
        self.path(".git/arguments")
    }

    /// A run in which two tests ran, a failed one among them; the energy of the first, and when it began.
    fn keep_tests(&self, history: &Path, (joules, started): (f64, i64)) {
        let mut ledger = ledger(&calls(1.0));
        let source = ledger.bookings[0].source;
        let test = |name: &str, seconds: [i64; 2], outcome: &str| TestEntry {
            name: format!("com.example.news.FeedTest#{name}"),
            iteration: 0,
            window: Window::new(at(seconds[0]), at(seconds[1])),
            uncertainty: Nanos::ZERO,
            outcome: outcome.to_owned(),
            cut: false,
        };
        ledger.test_runs.tests =
            vec![test("refreshes", [0, 1], "passed"), test("scrolls", [1, 2], "failed")];
        for (test, joules) in [(0, joules), (1, 0.015)] {
            let (joules, own) = (Joules::new(joules), Joules::new(joules * 0.9));
            let component = ComponentId(0);
            ledger.test_runs.bookings.push(TestBooking { test, component, source, joules, own });
        }
        let code = CodeVersion {
            commit: Some(self.git(&["rev-parse", "HEAD"])),
            branch: Some("main".to_owned()),
            dirty: Some(false),
        };
        let mut facts = RunFacts { code, ..RunFacts::default() };
        facts.circumstances.scenario = Some("tests".to_owned());
        facts.circumstances.started_ms = Some(started);
        let mut store = Store::open(&StoreLocation::Folder(history.to_owned())).expect("a history");
        store.keep(&NewRun::new(facts, &ledger).expect("a run")).expect("kept");
        store.close().expect("closed");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "."]);
        let name = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        let commit = ["commit", "-q", "--allow-empty", "-m", message];
        self.git(&[name.as_slice(), &commit].concat());
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.folder(), arguments)
    }
}

fn at(seconds: i64) -> BootNanos {
    BootNanos::new(seconds * 1_000_000_000)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    output(Command::new("git").arg("-C").arg(folder).args(arguments)).trim_end().to_owned()
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
