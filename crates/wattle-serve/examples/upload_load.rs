//! Memory of a server and of the processes of its jobs while a file is uploaded many times at once.
//!
//! ```text
//! wattle serve --data FOLDER --bind 127.0.0.1:7070 &
//! upload_load 127.0.0.1:7070 PID FILE COUNT [JOBS]
//! ```
//!
//! PID is the server's. Each upload becomes a job; the measurement ends with the last one, or once so many have ended. It needs Linux.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "an example"
)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PART: usize = 16 << 20;
const EVERY: Duration = Duration::from_millis(20);

/// Bytes of memory at most.
#[derive(Debug, Default)]
struct Peaks {
    server: u64,
    jobs: u64,
    one_job: u64,
    together: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, pid, file, count, more @ ..] = arguments.as_slice() else {
        panic!("expected ADDRESS:PORT PID FILE COUNT [JOBS]");
    };
    let count: usize = count.parse().expect("a number");
    let awaited = more.first().map_or(count, |jobs| jobs.parse().expect("a number"));
    let content = std::fs::read(file).expect("the file");
    let idle = memory_of(pid).expect("the server's memory");
    let (began, is_over) = (Instant::now(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let sampler = scope.spawn(|| sample(pid, &is_over));
        let jobs: Vec<_> = (0..count)
            .map(|nth| {
                let (address, content) = (address.as_str(), content.as_slice());
                scope.spawn(move || upload(address, &format!("{nth}.pftrace"), content))
            })
            .collect();
        let mut jobs: Vec<i64> =
            jobs.into_iter().map(|job| job.join().expect("an upload")).collect();
        jobs.sort_unstable();
        jobs.truncate(awaited);
        let analysed = jobs.len();
        let uploaded = began.elapsed();
        let mut failed = 0;
        for job in jobs {
            failed += usize::from(ended(address, job) != "done");
        }
        is_over.store(true, Ordering::SeqCst);
        let peaks = sampler.join().expect("samples");
        let megabytes = |bytes: u64| bytes / 1_000_000;
        println!("uploads         {count} of {} MB at once", megabytes(content.len() as u64));
        println!("uploaded after  {:.1} s", uploaded.as_secs_f64());
        println!(
            "analysed after  {:.1} s: {analysed}, of which {failed} failed",
            began.elapsed().as_secs_f64()
        );
        println!(
            "server          {} MB at first, {} MB at most (VmHWM)",
            megabytes(idle),
            megabytes(peaks.server)
        );
        println!(
            "jobs            {} MB at most together, {} MB one",
            megabytes(peaks.jobs),
            megabytes(peaks.one_job)
        );
        println!(
            "server and jobs {} MB at most (resident at one moment)",
            megabytes(peaks.together)
        );
    });
}

/// Samples until the end. What two processes share is counted for each of them.
fn sample(pid: &str, is_over: &AtomicBool) -> Peaks {
    let mut peaks = Peaks::default();
    while !is_over.load(Ordering::SeqCst) {
        let own = memory_of(pid).unwrap_or(0);
        let children: Vec<u64> = children(pid).iter().filter_map(|it| memory_of(it)).collect();
        let jobs: u64 = children.iter().sum();
        peaks.jobs = peaks.jobs.max(jobs);
        peaks.one_job = peaks.one_job.max(children.into_iter().max().unwrap_or(0));
        peaks.together = peaks.together.max(own + jobs);
        std::thread::sleep(EVERY);
    }
    peaks.server = status(pid, "VmHWM:").expect("the server's memory");
    peaks
}

fn memory_of(pid: &str) -> Option<u64> {
    status(pid, "VmRSS:")
}

fn status(pid: &str, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The children of all threads of a process.
fn children(pid: &str) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).ok();
    let lists: Vec<String> = tasks.filter_map(of).collect();
    lists.iter().flat_map(|list| list.split_whitespace()).map(str::to_owned).collect()
}

/// Uploads a file, submits a job, and returns its number.
fn upload(address: &str, name: &str, content: &[u8]) -> i64 {
    let new = json!({ "name": name, "bytes": content.len() }).to_string();
    let json_type = "Content-Type: application/json";
    let upload = ask(address, "POST /uploads", json_type, new.as_bytes());
    let id = upload["id"].as_str().expect("a name").to_owned();
    for (nth, part) in content.chunks(PART).enumerate() {
        let header = format!("Upload-Offset: {}", nth * PART);
        ask(address, &format!("PATCH /uploads/{id}"), &header, part);
    }
    let file = ask(address, &format!("POST /uploads/{id}/finish"), "X: y", b"");
    let job = json!({ "files": [file["id"]] }).to_string();
    ask(address, "POST /jobs", json_type, job.as_bytes())["id"].as_i64().expect("a number")
}

/// The state in which a job ended.
fn ended(address: &str, job: i64) -> String {
    loop {
        let now = ask(address, &format!("GET /jobs/{job}"), "X: y", b"");
        let state = now["state"].as_str().expect("a state").to_owned();
        if !matches!(state.as_str(), "queued" | "running") {
            return state;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn ask(address: &str, what: &str, header: &str, body: &[u8]) -> Value {
    let (method, path) = what.split_once(' ').expect("a method and a path");
    let mut stream = TcpStream::connect(address).expect("connected");
    let head = format!(
        "{method} /api/v1/projects/default{path} HTTP/1.0\r\nHost: {address}\r\nContent-Length: {}\r\n{header}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains(" 20"), "{what}: {answer}");
    serde_json::from_str(body).unwrap_or_default()
}
