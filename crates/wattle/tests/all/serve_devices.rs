//! `wattle serve --all-devices`: jobs on a device, one at a time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wattle_phone::MadePackage;
use wattle_testdata::requires;

use crate::phone_bench::{PhoneBench, options};

/// A server whose jobs may use a bench's phone.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(bench: &PhoneBench, flags: &[&str]) -> Self {
        let usual = ["serve", "--bind", "127.0.0.1:0", "--workers", "2", "--data", "server"];
        let mut command = bench.command(usual.iter().chain(flags));
        // Which device a job uses is the server's business.
        command.env_remove("ANDROID_SERIAL").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let (_, address) = line.split_once("http://").unwrap_or_else(|| panic!("{line:?}"));
        let address = address.split_whitespace().next().expect("an address").to_owned();
        Self { child, address }
    }

    /// The body of an answer.
    fn ask(&self, method: &str, path: &str, header: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        let head = format!(
            "{method} /api/v1/projects/default{path} HTTP/1.0\r\nHost: {}\r\nContent-Length: {}\r\n{header}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        stream.write_all(body).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8(answer).expect("UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.contains(" 20"), "{method} {path}: {answer}");
        body.to_owned()
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let body =
            self.ask(method, path, "Content-Type: application/json", body.to_string().as_bytes());
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}"))
    }

    fn upload(&self, content: &[u8]) -> i64 {
        let new = json!({ "name": "app.apk", "bytes": content.len() });
        let upload = self.json("POST", "/uploads", &new);
        let path = format!("/uploads/{}", upload["id"].as_str().expect("a name"));
        self.ask("PATCH", &path, "Upload-Offset: 0", content);
        let file = self.json("POST", &format!("{path}/finish"), &json!({}));
        file["id"].as_i64().expect("a number")
    }

    fn job(&self, id: i64) -> Value {
        serde_json::from_str(&self.ask("GET", &format!("/jobs/{id}"), "X: y", b"")).expect("JSON")
    }

    /// The times at which a job that has ended began and ended.
    fn times(&self, id: i64) -> (i64, i64) {
        let events = self.ask("GET", &format!("/jobs/{id}/events"), "X: y", b"");
        let events: Vec<Value> = events
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        let at = |kind: &str| {
            let event = events.iter().find(|event| event["kind"] == kind);
            event.unwrap_or_else(|| panic!("no {kind}: {events:?}"))["at_ms"]
                .as_i64()
                .expect("a time")
        };
        (at("started"), at("done"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
    }
}

#[requires(data, program = "adb")]
#[test]
fn two_jobs_never_use_one_device_at_a_time() {
    let bench = PhoneBench::new(options());
    let served = Served::start(&bench, &["--all-devices"]);
    let file = served.upload(&wattle_testdata::bytes("apk/androguard-a2dp.Vol_137.apk"));
    let submit = |more: Value| {
        let mut job = json!({ "files": [file], "kind": "run", "seconds": 2 });
        job.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        served.json("POST", "/jobs", &job)["id"].as_i64().expect("a number")
    };
    let jobs = [submit(json!({})), submit(json!({}))];
    let elsewhere = submit(json!({ "device_model": "a phone that nobody has" }));
    let end = Instant::now() + Duration::from_mins(5);
    for job in jobs {
        loop {
            let now = served.job(job);
            match now["state"].as_str() {
                Some("done") => break,
                Some("failed" | "cancelled") => panic!("{now}"),
                _ => assert!(Instant::now() < end, "{now}"),
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(served.job(job)["runs"].as_array().map(Vec::len), Some(1));
    }
    let [first, second] = jobs.map(|job| served.times(job));
    assert!(first.1 <= second.0 || second.1 <= first.0, "{first:?} and {second:?}");
    assert_eq!(served.job(elsewhere)["state"], "queued");
    bench.assert_restored("two jobs");
}

#[requires(program = "adb")]
#[test]
fn a_device_that_was_not_named_is_left_alone() {
    let bench = PhoneBench::new(options());
    let app = bench.package("app.apk", &MadePackage::new("com.example.devices"));
    let content = std::fs::read(app).expect("a package");
    let served = Served::start(&bench, &["--device", "another-serial"]);
    let file = served.upload(&content);
    let job = json!({ "files": [file], "kind": "run", "seconds": 2 });
    let job = served.json("POST", "/jobs", &job)["id"].as_i64().expect("a number");
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(served.job(job)["state"], "queued");
}
