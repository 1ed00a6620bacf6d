//! The HTTP API is what its description says.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server_support::{TestServer, keep_run, on_data};

fn description(server: &TestServer) -> Value {
    let answer = server.get("/api/v1/openapi.json");
    assert_eq!(answer.status, 200);
    answer.json()
}

/// A value for a parameter of a path.
fn value(name: &str) -> &'static str {
    match name {
        "project" => "default",
        "upload" => "00000000000000000000000000000000",
        "file" => "runs.csv",
        _ => "1",
    }
}

fn filled(path: &str) -> String {
    let mut filled = String::new();
    for part in path.split('{') {
        match part.split_once('}') {
            None => filled.push_str(part),
            Some((name, rest)) => {
                filled.push_str(value(name));
                filled.push_str(rest);
            }
        }
    }
    filled
}

/// Whether a status is among those that are described, `4XX` included.
fn is_described(responses: &Value, status: u16) -> bool {
    let exact = status.to_string();
    let class = format!("{}XX", status / 100);
    responses.get(&exact).is_some() || responses.get(&class).is_some()
}

#[test]
fn every_described_operation_exists_and_answers_as_described() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    let server = TestServer::start_on(folder, |_| {});
    let description = description(&server);
    let mut count = 0;
    for (path, operations) in description["paths"].as_object().unwrap() {
        let mut methods = Vec::new();
        for (method, operation) in operations.as_object().unwrap() {
            count += 1;
            methods.push(method.to_uppercase());
            let method = method.to_uppercase();
            // The run is needed by others.
            let address = if method == "DELETE" {
                filled(path).replace("/runs/1", "/runs/77")
            } else {
                filled(path)
            };
            let address =
                if path.ends_with("/compare") { format!("{address}?a=1&b=1") } else { address };
            let json = [("Content-Type", "application/json"), ("Upload-Offset", "0")];
            for body in [
                &b"{}"[..],
                b"[",
                br#"{"files":[1],"name":"a","bytes":1,"runs":[1],"title":"t","scope":"read"}"#,
            ] {
                let body = if matches!(method.as_str(), "GET" | "DELETE") { b"" } else { body };
                let answer = server.ask(&method, &address, &json, body);
                assert!(
                    is_described(&operation["responses"], answer.status),
                    "{method} {address}: {} is not described: {}",
                    answer.status,
                    answer.text()
                );
                assert_ne!(answer.status, 405, "{method} {address}");
                if answer.status >= 400 {
                    let error = answer.json();
                    assert!(error["error"].is_string() && error["message"].is_string(), "{error}");
                    assert_ne!(
                        error["message"], "there is nothing here",
                        "{method} {address}: no such route"
                    );
                }
            }
        }
        // What is not described is not there.
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if !methods.iter().any(|known| known == method) {
                let answer = server.ask(method, &filled(path), &[], &[]);
                assert_eq!(answer.status, 405, "{method} {path} is there and not described");
            }
        }
    }
    assert!(count >= 20, "only {count} operations");
}

#[test]
fn answers_have_the_described_form() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    let server = TestServer::start_on(folder, |_| {});
    let description = description(&server);
    let file = server.upload("a.pftrace", b"x");
    let job = server.post("/projects/default/jobs", &json!({ "files": [file] })).json();
    let check = |schema: &str, found: &Value| {
        let known = &description["components"]["schemas"][schema]["properties"];
        let known: Vec<&String> =
            known.as_object().unwrap_or_else(|| panic!("{schema}")).keys().collect();
        let found: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(sorted(found), sorted(known), "{schema}");
    };
    check("JobInfo", &job);
    let made = server.get("/api/v1/projects/default/tables/runs.csv").text();
    assert!(made.starts_with("id,title,url,time_ms,time,app,"), "{made}");
    assert_eq!(server.get("/api/v1/projects/default/tables/runs.exe").status, 404);
    check("BudgetState", &server.get("/api/v1/projects/default/budgets").json());
    check("RunState", &server.get("/api/v1/projects/default/runs").json()[0]);
    check("RangeState", &server.get("/api/v1/projects/default/runs/1/tracks").json());
    check("CallerState", &server.get("/api/v1/me").json());
    let share = server.post("/projects/default/shares", &json!({ "runs": [1] })).json();
    check("NewShareState", &share);
    check("ShareState", &share["link"]);
    check("WebError", &server.get("/api/v1/projects/none/runs").json());
}

fn sorted(mut names: Vec<&String>) -> Vec<&String> {
    names.sort();
    names
}

#[test]
fn downloads_are_those_of_the_command_line() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    let server = TestServer::start_on(folder, |_| {});
    let file = |name: &str| server.get(&format!("/api/v1/projects/default/runs/1/files/{name}"));
    let ledger = file("run.ledger.json.zst");
    assert_eq!(
        ledger.header("content-disposition"),
        Some("attachment; filename=\"run-1-run.ledger.json.zst\"")
    );
    let ledger = wattle_ledger::Ledger::from_bytes(&ledger.body).unwrap();
    // The app is the run's own, another one that is asked for, or none.
    for (query, apps) in [("", &["com.example"][..]), ("?app=", &[])] {
        let mut options = wattle_report::ReportOptions::default();
        options.apps = apps.iter().map(|app| (*app).to_owned()).collect();
        let mut expected = Vec::new();
        let report = wattle_report::Report::new(&ledger, &options);
        wattle_report::write_json(&report, &mut expected).unwrap();
        let found = file(&format!("report.json{query}"));
        assert_eq!(found.text(), String::from_utf8(expected).unwrap(), "{query}");
    }
    let unknown = file("report.json?app=com.other");
    assert_eq!(unknown.status, 422, "{unknown:?}");
    assert!(unknown.text().contains("no process of com.other"), "{unknown:?}");
    assert_eq!(file("threads.csv?app=com.example").status, 400);
    let threads = file("threads.csv");
    assert_eq!(threads.header("content-type"), Some("text/csv; charset=utf-8"));
    for name in ["nothing.json", "threads.exe", "profile.exe", "tables.csv"] {
        assert_eq!(file(name).status, 404, "{name}");
    }
}

#[test]
fn ranges_are_checked_and_known_by_their_tag() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    let server = TestServer::start_on(folder, |_| {});
    let get = |query: &str, tag: &str| {
        let path = format!("/api/v1/projects/default/runs/1/tracks{query}");
        server.ask("GET", &path, &[("If-None-Match", tag), ("Accept-Encoding", "gzip")], &[])
    };
    let first = get("?from=0&to=1", "\"other\"");
    assert_eq!((first.status, first.header("content-encoding")), (200, Some("gzip")));
    assert_eq!(first.header("cache-control"), Some("private, no-cache"));
    let tag = first.header("etag").unwrap().to_owned();
    let again = get("?from=0&to=1", &tag);
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(get("?from=0&to=2", &tag).status, 200, "another range");
    assert_eq!(get("?from=0&to=1&stretches=7", &tag).status, 200, "another detail");
    for (query, expected) in [
        ("?from=2&to=1", "to: expected an instant after from"),
        ("?from=1&to=1", "to: expected an instant after from"),
        ("?from=NaN", "from, to: expected seconds"),
        ("?to=1e300", "from, to: expected seconds"),
        ("?stretches=0", "stretches: expected 1 to 40000, found 0"),
        ("?stretches=40001", "stretches: expected 1 to 40000, found 40001"),
        ("?stretches=-1", "query: stretches: "),
        ("?from=x", "query: from: "),
        ("?until=1", "query: until: unknown field `until`"),
    ] {
        let refused = server.get(&format!("/api/v1/projects/default/runs/1/tracks{query}"));
        assert_eq!(refused.status, 400, "{query}: {}", refused.text());
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(expected), "{query}: {message}");
    }
    // Outside of the recording there is nothing, and that is no error.
    let after = server.get("/api/v1/projects/default/runs/1/tracks?from=5&to=9").json();
    assert_eq!(
        (after["tracks"].as_array().map(Vec::len), after["is_whole"].as_bool()),
        (Some(0), Some(true))
    );
    assert_eq!(server.get("/api/v1/projects/default/runs/7/tracks").status, 404);
}

#[test]
fn refusals_name_the_parameter() {
    let server = TestServer::start();
    let check = |answer: &crate::server_support::Answer, expected: &str| {
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert_eq!(answer.status, 400, "{message}");
        assert!(message.starts_with(expected), "{message}");
    };
    let get = |path: &str| server.get(&format!("/api/v1/projects/default{path}"));
    check(&get("/jobs?before=x"), "query: before: ");
    check(&get("/jobs?colour=red"), "query: colour: unknown field `colour`");
    check(&get("/jobs?state=lost"), "query: state: unknown variant `lost`");
    check(&get("/jobs/x"), "address: cannot read `job`");
    let post = |json: Value| server.post("/projects/default/jobs", &json);
    check(&post(json!({ "files": ["x"] })), "files[0]: invalid type");
    check(&post(json!({ "files": [], "seconds": -1 })), "seconds: invalid value");
    check(&post(json!({ "title": "x" })), "the body: missing field `files`");
    check(&post(json!({ "files": [] })), "files: ");
    let file = server.upload("a.trace", b"x");
    check(&post(json!({ "files": [file], "app": "a b" })), "app: ");
    check(&post(json!({ "files": [file], "app_version": "\n" })), "app_version: ");
    check(&post(json!({ "files": [file], "kind": "sing" })), "kind: ");
}
