//! Uploads: in parts, resumed, within limits.

use serde_json::json;
use tempfile::TempDir;

use crate::server_support::TestServer;

#[test]
fn an_upload_goes_on_where_it_was() {
    let server = TestServer::start();
    let new = json!({ "name": "trace.pftrace", "bytes": 10 });
    let upload = server.post("/projects/default/uploads", &new).json();
    let path = format!("/api/v1/projects/default/uploads/{}", upload["id"].as_str().unwrap());
    let send = |offset: &str, bytes: &[u8]| {
        server.ask("PATCH", &path, &[("Upload-Offset", offset)], bytes)
    };
    assert_eq!(send("0", b"01234").json()["received"], 5);
    assert_eq!(send("0", b"01234").status, 409, "those bytes are there already");
    assert_eq!(send("7", b"789").status, 409, "two bytes are missing");
    assert_eq!(server.get(&path).json()["received"], 5);
    assert_eq!(server.ask("POST", &format!("{path}/finish"), &[], &[]).status, 409);
    assert_eq!(send("5", b"56789").json()["received"], 10);
    let file = server.ask("POST", &format!("{path}/finish"), &[], &[]);
    // SHA-256 of 0123456789, by sha256sum.
    assert_eq!(
        file.json()["sha256"],
        "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    );
    let again = server.ask("POST", &format!("{path}/finish"), &[], &[]);
    assert_eq!(again.json()["id"], file.json()["id"]);
}

#[test]
fn a_part_that_breaks_off_counts_as_far_as_it_came() {
    use std::io::Write as _;
    let server = TestServer::start();
    let new = json!({ "name": "a", "bytes": 100_000 });
    let upload = server.post("/projects/default/uploads", &new).json();
    let path = format!("/api/v1/projects/default/uploads/{}", upload["id"].as_str().unwrap());
    let mut stream = server.connect();
    let host = server.address;
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nHost: {host}\r\nUpload-Offset: 0\r\nContent-Length: 100000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&[7; 40_000]).unwrap();
    drop(stream);
    // Whoever comes back asks how much there is, and sends the rest.
    let resumed = (0..100).any(|_| {
        let received = server.get(&path).json()["received"].as_u64().unwrap();
        let rest = vec![7; 100_000 - received as usize];
        let offset = received.to_string();
        let answer = server.ask("PATCH", &path, &[("Upload-Offset", &offset)], &rest);
        assert!(matches!(answer.status, 200 | 409), "{answer:?}");
        std::thread::sleep(std::time::Duration::from_millis(50));
        answer.status == 200
    });
    assert!(resumed, "the upload stays locked");
    assert_eq!(server.get(&path).json()["received"], 100_000);
}

#[test]
fn limits_bind_whatever_a_request_claims() {
    let server = TestServer::start_on(TempDir::new().unwrap(), |options| {
        options.limits.upload_bytes = 1_000_000;
    });
    let large =
        server.post("/projects/default/uploads", &json!({ "name": "a", "bytes": 1_000_001 }));
    assert_eq!(large.status, 413, "{large:?}");
    let upload =
        server.post("/projects/default/uploads", &json!({ "name": "a", "bytes": 10 })).json();
    let path = format!("/api/v1/projects/default/uploads/{}", upload["id"].as_str().unwrap());
    let more = server.ask("PATCH", &path, &[("Upload-Offset", "0")], &vec![0; 200_000]);
    assert_eq!(more.status, 400, "{more:?}");
    assert_eq!(server.get(&path).json()["received"], 0);
    // A body without a length, in chunks.
    let chunks = "4000\r\n".to_owned() + &"x".repeat(0x4000) + "\r\n";
    let chunks = chunks.repeat(20) + "0\r\n\r\n";
    let mut stream = server.connect();
    let host = server.address;
    let head = format!(
        "POST /api/v1/projects/default/jobs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    use std::io::Write as _;
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(chunks.as_bytes());
    let answer = crate::server_support::read_answer(stream);
    assert_eq!(answer.status, 413, "{answer:?}");
}

#[test]
fn names_of_files_are_no_paths() {
    let server = TestServer::start();
    let before = files_of(server.folder());
    for name in ["../../escape", "/etc/passwd", "a/b/c", "..", ".", "nul\0byte", "x\r\ny", "C:\\a"]
    {
        server.upload(name, b"content");
    }
    for path in [
        "/api/v1/projects/default/uploads/..%2f..%2fserver.db",
        "/api/v1/projects/..%2f/runs",
        "/p/..%2f..",
        "/share/..%2f..%2fserver.db",
    ] {
        let status = server.get(path).status;
        assert_eq!(status, 404, "{path}");
    }
    let new: Vec<_> =
        files_of(server.folder()).into_iter().filter(|file| !before.contains(file)).collect();
    // One content, stored once, under its digest.
    let stored: Vec<_> = new.iter().filter(|file| file.contains("/files/")).collect();
    assert_eq!(stored.len(), 1, "{new:?}");
    assert!(!server.folder().parent().unwrap().join("escape").exists());
}

fn files_of(folder: &std::path::Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path().display().to_string());
            }
        }
    }
    files
}

#[test]
fn a_job_is_followed_from_any_event_on() {
    let server = TestServer::start();
    let file = server.upload("trace.pftrace", b"nothing");
    let job = server.post("/projects/default/jobs", &json!({ "files": [file] }));
    assert_eq!(job.status, 201, "{job:?}");
    let path = format!("/api/v1/projects/default/jobs/{}", job.json()["id"]);
    // No worker is here to begin it.
    let cancelled = server.ask("POST", &format!("{path}/cancel"), &[], &[]);
    assert_eq!(cancelled.json()["state"], "cancelled");
    let all = server.get(&format!("{path}/events"));
    assert_eq!(all.header("content-type"), Some("text/event-stream"));
    let numbers = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("id: ").map(str::to_owned)).collect()
    };
    assert_eq!(numbers(&all.text()), ["1", "2"], "{}", all.text());
    assert!(all.text().contains("event: end\n"), "{}", all.text());
    let rest = server.ask("GET", &format!("{path}/events"), &[("Last-Event-ID", "1")], &[]);
    assert_eq!(numbers(&rest.text()), ["2"]);
    let page = server.get(&format!("/p/default/jobs/{}", job.json()["id"])).text();
    assert!(page.contains("cancelled before it began"), "{page}");
}
