//! A client with the capabilities of LSP4IJ, which brings language servers to Android Studio.

use std::path::Path;

use serde_json::{Value, json};
use wattle_units::Si;

use crate::editor_client::{Client, lsp4ij, uri};
use crate::sample_project::{self, FEED, Project};

fn start(project: &Project) -> Client {
    let history = project.history();
    let store = history.to_str().expect("a path");
    let mut client = Client::start(project.folder.path(), &["--store", store], &lsp4ij());
    client.wait_for_energies();
    client
}

fn at(file: &Path, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri(file) }, "position": { "line": line - 1, "character": character } })
}

#[test]
fn methods_have_their_joules() {
    let project = Project::new();
    let mut client = start(&project);
    assert_eq!(client.capabilities["positionEncoding"], "utf-16");
    assert_eq!(client.capabilities["inlayHintProvider"]["resolveProvider"], false);
    let file = project.file();
    client.open(&file, FEED);
    let hints = client.hints(&file);
    // Means of 3 runs: parse 80.16 mJ itself, load 20 mJ more, refresh 10 mJ more.
    let expected = ["5: 100 mJ (", "6: calls 80.3 mJ (", "10: 80.2 mJ (", "15: 110 mJ ("];
    assert_eq!(hints.len(), expected.len(), "{hints:#?}");
    for (hint, expected) in hints.iter().zip(expected) {
        assert!(hint.starts_with(expected), "{hints:#?}");
        assert!(!hint.contains("stale") && hint.contains(" – "), "{hints:#?}");
    }
    assert!(hints[2].contains("▲ +"), "twice as much as in five runs before: {hints:#?}");

    let lenses =
        client.result("textDocument/codeLens", json!({ "textDocument": { "uri": uri(&file) } }));
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("lenses")
        .iter()
        .map(|it| it["command"]["title"].as_str().expect("complete"))
        .collect();
    assert_eq!(titles.len(), 3, "{titles:#?}");
    assert!(
        titles[1].contains("self 80.2 mJ")
            && titles[1].contains("3 calls")
            && titles[1].contains("modelled"),
        "{titles:#?}"
    );

    let hover = client.result("textDocument/hover", at(&file, 10, 20));
    let text = hover["contents"]["value"].as_str().expect("text");
    for part in [
        "Feed.parse",
        "Pixel 6a",
        "feed",
        "3 runs",
        "| self | 80.2 mJ |",
        "a call",
        "Against",
        "higher",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Where nothing was measured there is nothing.
    assert_eq!(client.result("textDocument/hover", at(&file, 7, 10)), Value::Null);
    client.end();
}

/// Bars are drawn of the same figures as the hints, on the same lines, with their shares.
#[test]
fn lines_have_their_energies() {
    let project = Project::new();
    let mut client = start(&project);
    let file = project.file();
    client.open(&file, FEED);
    let hints = client.hints(&file);
    let document = json!({ "textDocument": { "uri": uri(&file) } });
    let rows = client.result("wattle/lines", document.clone());
    let rows = rows.as_array().expect("lines");
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{}: {}",
                row["line"].as_u64().expect("a line") + 1,
                row["text"].as_str().expect("text")
            )
        })
        .collect();
    assert_eq!(lines, hints);
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    assert_eq!(kinds, ["method", "calls", "method", "method"]);
    // `refresh` calls `load`, which calls `parse`: 110 of 115 mJ, of which 5 mJ are no method of the file.
    let refresh = &rows[3];
    assert_eq!(refresh["method"], "com.example.news.Feed.refresh");
    let number = |key: &str| refresh[key].as_f64().expect("a number");
    assert!((number("share") - 110.16 / 115.16).abs() < 1e-3, "{refresh:#}");
    let [low, high] = [0, 1].map(|end| refresh["interval_joules"][end].as_f64().expect("an end"));
    assert!(low < number("joules") && number("joules") < high, "{refresh:#}");
    assert_eq!(refresh["mark"], Value::Null);

    let change = FEED.replace("load(20).size", "load(21).size");
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri(&file), "version": 2 }, "contentChanges": [{ "text": change }] }),
    );
    let rows = client.result("wattle/lines", document);
    assert_eq!(rows[3]["mark"], "stale", "{rows:#}");
    assert_eq!(rows[0]["mark"], Value::Null, "{rows:#}");
    let none =
        client.result("wattle/lines", json!({ "textDocument": { "uri": "file:///none.kt" } }));
    assert_eq!(none, json!([]));
    client.end();
}

#[test]
fn figures_follow_edits() {
    let project = Project::new();
    let mut client = start(&project);
    let file = project.file();
    client.open(&file, FEED);
    // A comment with characters outside of the first plane above, in UTF-16.
    let change = |line: u32, from: u32, to: u32, text: &str| {
        let range = json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
        json!({ "range": range, "text": text })
    };
    let mut version = 1;
    let mut edit = |client: &mut Client, changes: &[Value]| {
        version += 1;
        let document = json!({ "uri": uri(&file), "version": version });
        client.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    };
    edit(&mut client, &[change(1, 0, 0, "// 😀 fun load()\n\n"), change(1, 5, 5, "é")]);
    let lines = |client: &mut Client| -> Vec<String> {
        client
            .hints(&file)
            .into_iter()
            .map(|hint| hint.split(" (").next().expect("text").to_owned())
            .collect()
    };
    assert_eq!(lines(&mut client), ["7: 100 mJ", "8: calls 80.3 mJ", "12: 80.2 mJ", "17: 110 mJ"]);
    // `parse` is renamed and its body is as it was.
    edit(&mut client, &[change(11, 16, 21, "decode")]);
    let hints = client.hints(&file);
    assert!(hints.iter().any(|hint| hint.starts_with("12: moved · 80.2 mJ")), "{hints:#?}");
    // `load` changes.
    edit(&mut client, &[change(8, 15, 29, "items.sorted().reversed()")]);
    let hints = client.hints(&file);
    assert!(hints.iter().any(|hint| hint.starts_with("7: stale · 100 mJ")), "{hints:#?}");
    client.end();
}

#[test]
fn unknown_code_is_unverified() {
    let project = Project::new();
    std::fs::remove_dir_all(project.folder.path().join(".git")).expect("removed");
    let mut client = start(&project);
    let file = project.file();
    client.open(&file, FEED);
    let hints = client.hints(&file);
    assert!(
        !hints.is_empty() && hints.iter().all(|hint| hint.contains(": unverified · ")),
        "{hints:#?}"
    );
    client.end();
}

/// A class of several source sets: figures stand where it ran, and nowhere if nothing says where.
#[test]
fn source_sets_do_not_share_figures() {
    let project = Project::new();
    let root = project.folder.path();
    std::fs::remove_dir_all(root.join("app/src")).expect("removed");
    let file = |set: &str| {
        let file = root.join(format!("app/src/{set}/java/com/example/news/Feed.kt"));
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, FEED).expect("written");
        file
    };
    let variants = ["free", "paid", "test"].map(file);
    let mut client = start(&project);
    for file in &variants {
        client.open(file, FEED);
        assert!(client.hints(file).is_empty(), "{}", file.display());
    }
    client.end();
    let main = file("main");
    let mut client = start(&project);
    client.open(&main, FEED);
    assert!(!client.hints(&main).is_empty());
    for file in &variants {
        client.open(file, FEED);
        assert!(client.hints(file).is_empty(), "{}", file.display());
    }
    client.end();
}

/// One run against one: what `wattle diff` cannot tell is not marked.
#[test]
fn changes_are_those_of_the_comparison() {
    let project = Project::new();
    std::fs::remove_dir_all(project.history()).expect("removed");
    let first = project.commit("one");
    project.keep(&first, 0, &sample_project::ledger(&sample_project::calls(1.0)));
    let second = project.commit("two");
    project.keep(&second, 1, &sample_project::ledger(&sample_project::calls(1.2)));
    let mut client = start(&project);
    let file = project.file();
    client.open(&file, FEED);
    let hints = client.hints(&file);
    let hover = client.result("textDocument/hover", at(&file, 10, 17));
    client.end();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(["diff", "run:1", "run:2", "--json", "-", "--store"])
        .arg(project.history())
        .output()
        .expect("it runs");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let methods = found["methods"].as_array().expect("methods");
    let parse = methods.iter().find(|it| it["name"] == "com.example.news.Feed.parse");
    let total = &parse.expect("parse")["total"];
    let verdict = total["verdict"].as_str().expect("a verdict");
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains(verdict), "{verdict}: {text}");
    assert_eq!(hints[2].contains('▲'), verdict == "higher", "{verdict}: {hints:#?}");
    assert!(!hints[2].contains('▼'), "{hints:#?}");
    for end in 0..2 {
        let joules = total["difference_interval_joules"][end].as_f64().expect("a number");
        let shown = Si { value: joules.abs(), unit: "J" }.to_string();
        assert!(text.contains(&shown), "{shown}: {text}");
    }
}

#[test]
fn findings_are_diagnostics() {
    let project = Project::new();
    let findings = project.folder.path().join("findings.json");
    let diagnosis = json!({
        "schema": "wattle-diagnosis/1",
        "findings": [{
            "rule": "wakelock-held-too-long", "severity": "warning", "title": "a wakelock is held for 9 s",
            "remedy": "Release it in finally.", "evidence": [{ "text": "held from 1.0 s to 10.0 s" }],
            "place": { "function": "android.os.PowerManager$WakeLock.acquire", "stack": ["com.example.news.Feed.refresh", "android.os.PowerManager$WakeLock.acquire"] },
            "at_stake": { "joules": 0.5, "interval_joules": [0.4, 0.7], "provenance": "modelled" },
        }],
    });
    std::fs::write(&findings, diagnosis.to_string()).expect("written");
    let history = project.history();
    let arguments = [
        "--store",
        history.to_str().expect("a path"),
        "--findings",
        findings.to_str().expect("a path"),
    ];
    let mut client = Client::start(project.folder.path(), &arguments, &lsp4ij());
    client.wait_for_energies();
    let file = project.file();
    client.open(&file, FEED);
    let published = client.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["diagnostics"].as_array().is_some_and(|all| !all.is_empty())
    });
    let diagnostic = &published["params"]["diagnostics"][0];
    assert_eq!(diagnostic["range"]["start"]["line"], 14, "{diagnostic}");
    assert_eq!(diagnostic["code"], "wakelock-held-too-long");
    let message = diagnostic["message"].as_str().expect("a message");
    assert!(message.contains("potential saving 500 mJ (400 mJ – 700 mJ), modelled"), "{message}");
    let range = diagnostic["range"].clone();
    let parameters = json!({ "textDocument": { "uri": uri(&file) }, "range": range, "context": { "diagnostics": [diagnostic] } });
    let actions = client.result("textDocument/codeAction", parameters);
    let commands: Vec<&str> = actions
        .as_array()
        .expect("actions")
        .iter()
        .map(|it| it["command"]["command"].as_str().expect("a command"))
        .collect();
    assert_eq!(commands, ["wattle.explain", "wattle.openPage", "wattle.compare"], "{actions:#}");
    client.end();
}

#[test]
fn pages_open_at_the_method() {
    let project = Project::new();
    let mut client = start(&project);
    let arguments = json!([{ "run": 8, "method": "com.example.news.Feed.parse" }]);
    let opened = client.result(
        "workspace/executeCommand",
        json!({ "command": "wattle.openPage", "arguments": arguments }),
    );
    let address = opened["uri"].as_str().expect("an address");
    assert!(address.ends_with("#mode=sandwich&frame=com.example.news.Feed.parse"), "{address}");
    let page = address.strip_prefix("file://").and_then(|it| it.split('#').next()).expect("a file");
    assert!(std::fs::read_to_string(page).expect("a page").contains("com.example.news.Feed.parse"));
    client.wait(|message| {
        message["method"] == "window/showDocument" && message["params"]["uri"] == address
    });
    client.end();
}

#[test]
fn the_project_is_searched_and_walked_by_energy() {
    let project = Project::new();
    let mut client = start(&project);
    let symbols = client.result("workspace/symbol", json!({ "query": "feed" }));
    let names: Vec<String> = symbols
        .as_array()
        .expect("symbols")
        .iter()
        .map(|it| it["name"].as_str().expect("a name").split(" (").next().expect("text").to_owned())
        .collect();
    assert_eq!(
        names,
        ["Feed.parse — self 80.2 mJ", "Feed.load — self 20.0 mJ", "Feed.refresh — self 10.0 mJ"]
    );
    assert_eq!(symbols[0]["location"]["range"]["start"], json!({ "line": 9, "character": 16 }));
    let file = project.file();
    client.open(&file, FEED);
    let items = client.result("textDocument/prepareCallHierarchy", at(&file, 5, 10));
    assert_eq!(items[0]["name"], "Feed.load");
    let callees = client.result("callHierarchy/outgoingCalls", json!({ "item": items[0] }));
    assert_eq!(callees[0]["to"]["name"], "Feed.parse", "{callees:#}");
    assert!(
        callees[0]["to"]["detail"].as_str().expect("text").starts_with("80.3 mJ ("),
        "{callees:#}"
    );
    let callers = client.result("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!(callers[0]["from"]["name"], "Feed.refresh");
    client.end();
}

#[test]
fn runs_that_are_kept_are_shown() {
    let project = Project::new();
    let mut client = start(&project);
    let file = project.file();
    client.open(&file, FEED);
    assert!(client.hints(&file)[2].starts_with("10: 80.2 mJ"));
    let ledger = sample_project::ledger(&sample_project::calls(5.0));
    project.keep(&project.head(), 100, &ledger);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    // Mean of 80, 80.16, 80.32 and 200 mJ.
    while !client.hints(&file)[2].starts_with("10: 110 mJ") {
        assert!(std::time::Instant::now() < deadline, "{:#?}", client.hints(&file));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(client.received.iter().any(|it| it["method"] == "workspace/inlayHint/refresh"));
    client.end();
}

#[test]
fn commands_have_progress_and_an_end() {
    let project = Project::new();
    let mut client = start(&project);
    let history = project.history();
    let store = history.to_str().expect("a path");
    let compared =
        client.result("wattle/compare", json!({ "arguments": ["run:1", "run:8", "--json", "-"] }));
    assert_eq!(compared["exitCode"], 0, "{compared:#} {store}");
    let output: Value =
        serde_json::from_str(compared["output"].as_str().expect("text")).expect("JSON");
    assert_eq!(output["schema"], "wattle-diff/1");
    for kind in ["begin", "end"] {
        client.wait(|message| {
            message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind
        });
    }
    let failed = client.result("wattle/compare", json!({ "arguments": ["run:1", "run:99"] }));
    assert_ne!(failed["exitCode"], 0);
    assert!(failed["output"].as_str().expect("text").contains("99"), "{failed:#}");
    client.end();
}

#[cfg(all(unix, feature = "phone"))]
#[test]
fn commands_are_cancelled() {
    let project = Project::new();
    let mut client = start(&project);
    // A phone that is simulated, for an hour.
    let arguments =
        json!(["--simulate", "--out", project.folder.path().join("rec"), "--duration", "3600"]);
    let id =
        client.ask("wattle/record", json!({ "arguments": arguments, "workDoneToken": "mine" }));
    client
        .wait(|message| message["method"] == "$/progress" && message["params"]["token"] == "mine");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    client.tell("$/cancelRequest", json!({ "id": id }));
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32_800, "{answer:#}");
    client.end();
}

#[test]
fn wrong_messages_do_no_harm() {
    let project = Project::new();
    let mut client = start(&project);
    client.send_text(r#"{"jsonrpc":"2.0","method":"x","params":"\ud83d"}"#);
    let answer = client.wait(|message| message["error"]["code"] == -32_700);
    assert!(answer["id"].is_null(), "{answer}");
    let unknown = client.request("textDocument/rename", json!({}));
    assert_eq!(unknown["error"]["code"], -32_601);
    for method in [
        "textDocument/inlayHint",
        "textDocument/hover",
        "textDocument/codeLens",
        "callHierarchy/incomingCalls",
    ] {
        for parameters in [
            Value::Null,
            json!([]),
            json!({ "textDocument": { "uri": "file:///none.kt" }, "position": { "line": -1 } }),
        ] {
            let answer = client.request(method, parameters);
            assert!(answer.get("error").is_none(), "{method}: {answer}");
        }
    }
    client.tell("textDocument/didOpen", json!({ "textDocument": { "uri": 1 } }));
    client.tell("textDocument/didChange", json!({ "textDocument": { "uri": "file:///none.kt", "version": 1 }, "contentChanges": [{ "text": "x" }] }));
    assert_eq!(client.request("wattle/run", json!({ "arguments": 1 }))["error"]["code"], -32_602);
    let file = project.file();
    client.open(&file, FEED);
    let range = json!({ "start": { "line": 90_000, "character": 7 }, "end": { "line": 3, "character": 90_000 } });
    let change = json!({ "textDocument": { "uri": uri(&file), "version": 2 }, "contentChanges": [{ "range": range, "text": "}" }] });
    client.tell("textDocument/didChange", change);
    client.hints(&file);
    client.end();
}

#[test]
fn a_project_without_runs_says_how_to_keep_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("none");
    let arguments = ["--store", store.to_str().expect("a path")];
    let mut client = Client::start(folder.path(), &arguments, &lsp4ij());
    let message = client.wait(|message| message["method"] == "window/showMessage");
    let text = message["params"]["message"].as_str().expect("text");
    assert!(text.contains("no run has been kept yet"), "{text}");
    assert!(text.contains("wattle report trace.pftrace --keep"), "{text}");
    assert!(!store.exists());
    client.end();
}
