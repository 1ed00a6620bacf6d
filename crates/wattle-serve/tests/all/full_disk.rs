//! A server whose disk is full.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use wattle_testdata::requires;

use crate::server_support::{TestServer, keep_run, on_data};

/// The folder of a small disk, in the process that sees it.
const FOLDER: &str = "WATTLE_TEST_SMALL_DISK";

/// Runs a test of this file again, where a small file system is mounted that nobody else sees.
fn on_small_disk(test: &str) {
    let folder = TempDir::new().unwrap();
    let script =
        "mount -t tmpfs -o size=16m tmpfs \"$0\" && exec \"$1\" --exact --nocapture \"$2\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(folder.path()).arg(std::env::current_exe().unwrap()).arg(test);
    let output = command.env(FOLDER, folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{complaint}");
}

/// Writes until the disk takes nothing.
fn fill(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("filler");
    let mut file = std::fs::File::create(&path).unwrap();
    for size in [1 << 16, 4096, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    path
}

#[requires(small_disk)]
#[test]
fn a_full_disk_ends_writing_until_it_has_room_again() {
    match std::env::var_os(FOLDER) {
        None => on_small_disk("full_disk::a_full_disk_ends_writing_until_it_has_room_again"),
        Some(disk) => check_full_disk(Path::new(&disk)),
    }
}

fn check_full_disk(disk: &Path) {
    let folder = TempDir::new_in(disk).unwrap();
    on_data(folder.path(), async |data| {
        keep_run(data, "default", "com.example").await;
        keep_run(data, "default", "com.example").await;
    });
    let server = TestServer::start_on(folder, |options| options.limits.spare_bytes = 1 << 20);
    let file = server.upload("a.trace", b"some bytes");
    let begun = server.post("/projects/default/uploads", &json!({ "name": "b", "bytes": 2 << 20 }));
    let begun = begun.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get("/readyz").status, 200);

    let filler = fill(disk);
    std::thread::sleep(Duration::from_millis(1100));
    let ready = server.get("/readyz");
    assert_eq!((ready.status, ready.text().as_str()), (503, "not ready: the disk is full\n"));
    assert_eq!(server.get("/healthz").status, 200);
    // More often than there are connections to the database.
    for _ in 0..20 {
        let job = server.post("/projects/default/jobs", &json!({ "files": [file] }));
        assert_eq!(job.status, 507, "{job:?}");
        let message = job.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("the server's disk is full"), "{message}");
    }
    let upload = server.post("/projects/default/uploads", &json!({ "name": "c", "bytes": 1 }));
    assert_eq!(upload.status, 507, "{upload:?}");
    let path = format!("/api/v1/projects/default/uploads/{begun}");
    let part = server.ask("PATCH", &path, &[("Upload-Offset", "0")], &vec![7; 2 << 20]);
    assert_eq!(part.status, 507, "{part:?}");

    // Reading and deleting go on.
    assert_eq!(server.get("/p/default/runs").status, 200);
    assert_eq!(server.get("/api/v1/projects/default/runs/1/files/report.json").status, 200);
    let deleted = server.ask("DELETE", "/api/v1/projects/default/runs/1", &[], &[]);
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(server.get("/api/v1/projects/default/runs/1").status, 404);
    let abandoned = server.ask("DELETE", &path, &[], &[]);
    assert_eq!(abandoned.status, 204, "{abandoned:?}");

    std::fs::remove_file(filler).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(server.get("/readyz").status, 200);
    for _ in 0..10 {
        let job = server.post("/projects/default/jobs", &json!({ "files": [file] }));
        assert_eq!(job.status, 201, "{job:?}");
    }
}
