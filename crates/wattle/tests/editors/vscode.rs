//! The extension in the real Visual Studio Code, in a browser.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wattle_testdata::requires;
use wattle_units::Si;

use crate::browser_editor::{Editor, Extension};
use crate::sample_project::APP;
use crate::vscode_project::VscodeProject;

const ROW: &str = ".pane-body .monaco-list-row";
const STATUS: &str = "[id=\"wattle.wattle.wattle.energy\"]";
const MESSAGE: &str = ".notification-list-item";
const FEED_SYNC: &str = "app/src/main/java/com/example/news/FeedSync.kt";

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_wattle").into()
}

/// The row of a list with a name, and its energy as text.
#[track_caller]
fn figure(report: &Value, (list, name, key): (&str, &str, &str)) -> String {
    let rows = report[list].as_array().expect("a list");
    let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    joules(&row[key])
}

#[track_caller]
fn joules(value: &Value) -> String {
    Si { value: value.as_f64().expect("a number"), unit: "J" }.to_string()
}

#[requires(env = "WATTLE_CODE_SERVER", env = "WATTLE_EXTENSION_PACKAGES", program = "chromedriver")]
#[test]
fn a_recording_is_measured_and_read_in_the_editor() {
    let extension = Extension::build();
    extension.run("test");
    let package = extension.package();
    let project = VscodeProject::new();
    let editor = Editor::start("editor-measured", (&package, &project.program_without_phone()));

    // The run that was kept last is of the fixed app; that of the tests is older.
    editor.open(&project.folder(), "J (");
    tests_have_joules(&editor);
    measure(&editor);
    let report = project.wattle(&["report", "run:3", "--app", APP, "--json", "-", "--quiet"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let energy = joules(&report["app"]["joules"]);
    let status = editor.wait_for(STATUS, &energy);
    assert!(!status.contains("stale") && status.contains('('), "{status}");

    views_show_the_run(&editor, &report);
    code_has_figures(&editor, &report);
    pages_open(&editor, &report);
    a_branch_is_compared(&editor);
    a_change_is_stale(&editor, &project);
    tests_are_measured(&editor, &project);
}

/// The Test Explorer runs tests by the entry of the settings that has some, and shows how they ended and their joules.
fn tests_are_measured(editor: &Editor, project: &VscodeProject) {
    editor.container("Testing");
    editor.command("Test: Run All Tests");
    editor.wait_for(MESSAGE, "News tests is done: kept as run:4");
    let refreshes = editor.wait_for(ROW, "72.0 mJ (");
    assert!(refreshes.starts_with("refreshes") && refreshes.contains("run:4"), "{refreshes}");
    for icon in ["passed", "failed"] {
        let script = format!(
            "return document.querySelector('.pane-body .codicon-testing-{icon}-icon') !== null"
        );
        editor.wait(icon, &script);
    }
    let arguments = std::fs::read_to_string(project.arguments_of_run()).expect("arguments");
    assert_eq!(
        arguments.trim(),
        "run app/build/outputs/apk/debug/app-debug.apk \
         --test-apk=app/build/outputs/apk/androidTest/debug/app-debug-androidTest.apk --keep"
    );
    // What a command in a terminal does to the history is seen.
    project.wattle(&["runs", "delete", "run:4"]);
    editor.wait_for(STATUS, "19.2 J");
}

/// The tests of the sources, with the joules of the newest run that has any.
fn tests_have_joules(editor: &Editor) {
    editor.container("Testing");
    editor.wait_for(ROW, "FeedTest");
    editor.wait(
        "open class",
        "const closed = document.querySelector('.pane-body .monaco-tl-twistie.collapsed');
         if (closed) closed.click();
         return !closed && document.querySelectorAll('.pane-body .monaco-list-row').length >= 3",
    );
    // What the app spent of 60 mJ and of 15 mJ, with its interval, of the run and how the test ended.
    let refreshes = editor.wait_for(ROW, "54.0 mJ (");
    assert!(refreshes.starts_with("refreshes") && refreshes.contains("run:1"), "{refreshes}");
    let scrolls = editor.wait_for(ROW, "scrolls");
    assert!(scrolls.contains("13.5 mJ (") && scrolls.contains("failed"), "{scrolls}");
    // A comment is no test.
    assert!(!editor.texts(ROW).iter().any(|it| it.contains("isNone")));
    editor.picture("tests");
}

/// Measures the recorded trace of the setting through the lists that a user sees.
fn measure(editor: &Editor) {
    editor.command("Wattle: Measure Energy…");
    editor.wait_for(".quick-input-list .monaco-list-row", "App on a device");
    editor.picture("measure");
    editor.pick("Measure Energy", "Recorded demo");
    let done = editor.wait_for(MESSAGE, "Recorded demo is done");
    assert!(done.contains("kept as run:3"), "{done}");
}

fn views_show_the_run(editor: &Editor, report: &Value) {
    editor.container("Wattle");
    let decode = figure(report, ("slices", "com.example.news.ImageDecoder.decode", "self_joules"));
    let row = editor.wait_for(ROW, "ImageDecoder.decode");
    assert!(row.contains(&format!("{decode} (")) && row.contains(" %"), "{row}");
    // Most energy first.
    let rows = editor.texts(ROW);
    let place = |part: &str| rows.iter().position(|row| row.contains(part));
    assert_eq!(place("ImageDecoder.decode"), Some(0), "{rows:#?}");
    assert!(place("Beacon.collect") < place("FeedParser.parse"), "{rows:#?}");
    assert!(place("feed-sync").is_some() && place("Wi-Fi").is_some(), "{rows:#?}");
    // Not estimated is not 0 J.
    let covered = editor.wait_for(".pane-body .message", "Not estimated, which is not 0 J");
    assert!(covered.contains("GPU"), "{covered}");
    // By total energy the caller comes before what it calls.
    editor.command("Wattle: Sort by Total Energy");
    editor.wait(
        "rows by total energy",
        "const first = [...document.querySelectorAll('.pane-body .monaco-list-row')].find((it) => it.getAttribute('aria-posinset') === '1');
         return first?.textContent.includes('FeedSync.refresh')",
    );
    editor.quiet();
}

fn code_has_figures(editor: &Editor, report: &Value) {
    // From the method to its code.
    editor.browser.js(
        "[...document.querySelectorAll('.pane-body .monaco-list-row')].find((it) => it.textContent.includes('FeedSync.refresh')).click(); return 1",
    );
    editor.wait_for(".tab.active", "FeedSync.kt");
    editor.command("Wattle: Sort by Self Energy");
    let total = figure(report, ("slices", "com.example.news.FeedSync.refresh", "total_joules"));
    let line = editor.wait_for(".view-line", &format!("{total} ("));
    assert!(
        line.starts_with("    fun refresh(feed: Feed) {") && line.contains(", self "),
        "{line}"
    );
    // Bars: as long as the share of the run, behind the text, which stays at its place. They follow the figures within a moment.
    let bars = "const bars = [...document.querySelectorAll('.view-line span')].map((it) => [it, getComputedStyle(it, '::before')])
            .filter(([, style]) => style.content !== 'none' && style.position === 'absolute' && style.zIndex === '-1');
        const width = (part) => parseFloat(bars.find(([it]) => it.closest('.view-line').textContent.replaceAll('\\u00a0', ' ').includes(part))?.[1].width);
        return width('fun refresh') > 20 * width('fun parse') && width('fun parse') > 0";
    editor.wait("bars by share", bars);
    editor.picture("code");
}

/// The flame graph and the timeline are the report's page.
fn pages_open(editor: &Editor, report: &Value) {
    editor.command("Wattle: Open Flame Graph");
    let total = figure(report, ("slices", "com.example.news.FeedSync.refresh", "total_joules"));
    editor.in_panel(|page| {
        editor.wait("flame graph", "return wattle.state.view === 'flame'");
        let page_text = page.text("main").replace(['\u{202f}', '\n'], " ");
        let energy = joules(&report["app"]["joules"]);
        assert!(page_text.contains(&format!("{APP} ")), "{page_text}");
        assert!(page_text.contains(&energy.replace(' ', "")), "{energy}: {page_text}");
        // What the graph says of the frames that a search finds.
        page.js("wattle.select({ q: 'FeedSync.refresh' }); return 1");
        let found = page.text("#flame-matches").replace('\u{202f}', " ");
        assert!(found.contains(&format!("1 match, {total}")), "{found}");
        page.js("wattle.select({ q: '' }); return 1");
    });
    editor.picture("flame");
    // What is selected in the page leads to its code.
    editor.in_panel(|page| {
        page.js("wattle.select({ mode: 'sandwich', frame: 'com.example.news.ImageDecoder.decode' }); return 1");
    });
    editor.wait("the button to the code", "return document.querySelector('.editor-actions [aria-label^=\"Go to Code of the Selected Method\"]') !== null");
    editor.command("Wattle: Go to Code of the Selected Method");
    editor.wait_for(".tab.active", "ImageDecoder.kt");
    editor.command("Wattle: Open Timeline");
    editor.in_panel(|_| editor.wait("tracks", "return wattle.state.view === 'tracks'"));
    editor.picture("timeline");
}

/// The run of the branch `images` against that of `main`, which has the same device.
fn a_branch_is_compared(editor: &Editor) {
    editor.command("Wattle: Compare with Branch…");
    editor.pick("Compare run:3 with a Branch", "main");
    let verdict = editor.wait_for(MESSAGE, "HIGHER");
    assert!(verdict.contains("com.example.news") && verdict.contains("(90 %)"), "{verdict}");
    assert!(verdict.contains("One run each") || verdict.contains("one run each"), "{verdict}");
    editor.in_panel(|_| ());
    editor.picture("compare");
    editor.quiet();
}

/// A method that is edited is marked, and so is the run when the file is saved.
fn a_change_is_stale(editor: &Editor, project: &VscodeProject) {
    editor.file("FeedSync.kt");
    // Behind `store.save(items)`.
    editor.command("Go to Line/Column...");
    editor.wait(
        "input of a line",
        "return document.querySelector('.quick-input-widget input').value === ':'",
    );
    editor.browser.insert_text("12:26");
    editor.browser.key("\u{e007}");
    editor.browser.insert_text("; Thread.sleep(10)");
    let line = editor.wait_for(".view-line", "stale · ");
    assert!(line.contains("fun refresh"), "{line}");
    editor.browser.chord(&["\u{e009}", "s"]);
    let status = editor.wait_for(STATUS, "stale");
    assert!(status.contains(" J ("), "{status}");
    let text = std::fs::read_to_string(project.path(FEED_SYNC)).expect("the file");
    assert!(text.contains("store.save(items); Thread.sleep(10)"), "{text}");
    editor.container("Wattle");
    editor.wait_for(".pane-body .message", "Stale: 1 file changed since the run");
    editor.picture("stale");
}

/// A folder with settings and a source, in which something is wrong.
fn wrong(settings: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("written");
    };
    write(".vscode/settings.json", &settings.to_string());
    write(
        "build.gradle",
        "android {\n  defaultConfig { \n    applicationId 'org.example.other'\n  }\n}\n",
    );
    write("Main.kt", "fun main() = Unit\n");
    folder
}

/// Opens the folder and returns what the view of methods says.
fn said(editor: &Editor, folder: &Path, (status, part): (&str, &str)) -> String {
    editor.open(folder, status);
    editor.container("Wattle");
    editor.wait_for(".pane-body", part)
}

#[requires(env = "WATTLE_CODE_SERVER", env = "WATTLE_EXTENSION_PACKAGES", program = "chromedriver")]
#[test]
fn what_is_missing_is_said() {
    let editor = Editor::start("editor-missing", (&Extension::build().package(), &program()));
    let project = VscodeProject::new();
    let none = project.path("none");

    let folder = wrong(&json!({ "wattle.program": "/nowhere/wattle" }));
    let text = said(&editor, folder.path(), ("wattle not found", "was not found"));
    assert!(text.contains("Choose the Program") && text.contains("PATH"), "{text}");
    editor.picture("missing");

    // Another program of that name.
    let folder = wrong(&json!({ "wattle.program": "/bin/true" }));
    said(
        &editor,
        folder.path(),
        ("runs unreadable", "wrote nothing where JSON is expected: is it wattle?"),
    );

    let folder = wrong(&json!({ "wattle.store": none }));
    let text = said(&editor, folder.path(), ("no runs yet", "No run has been kept yet"));
    assert!(text.contains("Measure Energy") && text.contains("Try the Demo"), "{text}");
    assert!(!none.exists());

    let broken = project.path("broken");
    std::fs::create_dir(&broken).expect("a folder");
    std::fs::write(broken.join("history.db"), vec![7; 5000]).expect("written");
    let folder = wrong(&json!({ "wattle.store": broken }));
    let text = said(&editor, folder.path(), ("runs unreadable", "The runs cannot be read"));
    assert!(text.contains("is damaged"), "{text}");

    let folder = wrong(&json!({ "wattle.store": project.history() }));
    let text = said(
        &editor,
        folder.path(),
        ("no runs of this app", "has been kept. The history has runs of"),
    );
    assert!(text.contains("org.example.other") && text.contains(APP), "{text}");

    // A demo from here: the figures are there afterwards, of the app that was measured.
    let store = project.path("demo");
    let folder = wrong(&json!({ "wattle.store": store, "wattle.app": APP }));
    said(&editor, folder.path(), ("no runs yet", "No run has been kept yet"));
    editor.command("Wattle: Try the Demo");
    editor.wait_for(MESSAGE, "Demo is done");
    let row = editor.wait_for(ROW, "ImageDecoder.decode");
    assert!(row.contains("assumed") && row.contains(" J ("), "{row}");
}
