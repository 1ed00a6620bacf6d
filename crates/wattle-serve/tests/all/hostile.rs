//! Clients that mean harm: the server answers others throughout.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::server_support::{TestServer, read_answer};

#[track_caller]
fn check_alive(server: &TestServer) {
    let start = Instant::now();
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn clients_that_say_nothing_are_cut() {
    let server = TestServer::start_on(TempDir::new().unwrap(), |options| {
        options.connections.head = Duration::from_millis(800);
        options.connections.open = 60;
    });
    let mut slow: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /p/default HTTP/1.1\r\nHost: ").unwrap();
    }
    check_alive(&server);
    // As many as are allowed at all: others wait until the slow ones are cut.
    slow.extend((0..30).map(|_| server.connect()));
    check_alive(&server);
    std::thread::sleep(Duration::from_millis(2500));
    let mut cut = 0;
    for stream in &mut slow {
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut rest = Vec::new();
        cut += usize::from(stream.read_to_end(&mut rest).is_ok());
    }
    assert_eq!(cut, slow.len(), "some connections are open for ever");
    check_alive(&server);
}

#[test]
fn large_heads_are_refused() {
    let server = TestServer::start();
    let huge = "x".repeat(200_000);
    let answer = server.ask("GET", "/healthz", &[("X-Huge", &huge)], &[]);
    assert!(matches!(answer.status, 0 | 431), "{}", answer.status);
    let names: Vec<String> = (0..500).map(|nth| format!("X-{nth}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let answer = server.ask("GET", "/healthz", &many, &[]);
    assert!(matches!(answer.status, 0 | 400 | 431), "{}", answer.status);
    let long = format!("/{}", "a".repeat(100_000));
    let answer = server.get(&long);
    assert!(matches!(answer.status, 0 | 414 | 431), "{}", answer.status);
    check_alive(&server);
}

#[test]
fn bytes_that_are_no_requests_are_refused() {
    let server = TestServer::start();
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET\r\n\r\n", b"\0\0\0\0", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
        let mut stream = server.connect();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(bytes).unwrap();
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let answer = read_answer(stream);
        assert!(matches!(answer.status, 0 | 400..=499), "{bytes:?}: {}", answer.status);
    }
    check_alive(&server);
}

#[test]
fn five_hundred_uploads_at_once_all_arrive() {
    let server = TestServer::start();
    let uploads = 500;
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..50 {
            let (server, failures) = (&server, &failures);
            scope.spawn(move || {
                for nth in 0..uploads / 50 {
                    let content = format!("upload {thread} {nth}");
                    let new = json!({ "name": "a", "bytes": content.len() });
                    let upload = server.post("/projects/default/uploads", &new);
                    if upload.status != 201 {
                        failures.lock().unwrap().push(upload.text());
                        continue;
                    }
                    let id = upload.json()["id"].as_str().unwrap().to_owned();
                    let path = format!("/api/v1/projects/default/uploads/{id}");
                    let part =
                        server.ask("PATCH", &path, &[("Upload-Offset", "0")], content.as_bytes());
                    let done = server.ask("POST", &format!("{path}/finish"), &[], &[]);
                    if (part.status, done.status) != (200, 200) {
                        failures.lock().unwrap().push(format!("{} {}", part.text(), done.text()));
                    }
                }
            });
        }
        check_alive(&server);
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {uploads}: {:?}",
        failures.len(),
        &failures[..failures.len().min(3)]
    );
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("wattle_requests_total{status=\"5xx\"} 0\n"), "{metrics}");
    check_alive(&server);
}

#[test]
fn a_slow_body_does_not_hold_others_up() {
    let server = TestServer::start();
    let new = json!({ "name": "a", "bytes": 1000 });
    let upload = server.post("/projects/default/uploads", &new).json();
    let path = format!("/api/v1/projects/default/uploads/{}", upload["id"].as_str().unwrap());
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            let host = server.address;
            let head = format!("PATCH {path} HTTP/1.1\r\nHost: {host}\r\nUpload-Offset: 0\r\nContent-Length: 1000\r\n\r\nab");
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    check_alive(&server);
    assert_eq!(server.get("/p/default").status, 200);
    assert_eq!(server.upload("b", b"content"), 1);
    drop(slow);
}

#[test]
fn requests_that_come_too_fast_are_refused_for_a_while() {
    let server = TestServer::start();
    let statuses: Vec<u16> =
        (0..12).map(|_| server.ask("POST", "/login", &[], b"name=a").status).collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    let refused = server.ask("POST", "/login", &[], b"name=a");
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    check_alive(&server);
}

#[test]
fn one_client_does_not_take_all_connections() {
    let server = TestServer::start_on(TempDir::new().unwrap(), |options| {
        options.connections.of_client = 5;
        options.connections.head = Duration::from_mins(1);
    });
    let mut held: Vec<_> = (0..5).map(|_| server.connect()).collect();
    // Connections are accepted in the order in which they were made.
    let refused = read_answer(server.connect());
    assert_eq!(refused.status, 429, "{refused:?}");
    assert_eq!(refused.text(), "too many open connections from this address\r\n");
    held.pop();
    let start = Instant::now();
    while server.get("/healthz").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(10), "a place is given back");
        std::thread::sleep(Duration::from_millis(50));
    }
}
