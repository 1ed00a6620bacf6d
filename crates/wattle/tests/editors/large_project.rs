//! A file of ten thousand lines, and a history of a hundred thousand methods.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::editor_client::{Client, lsp4ij, uri};
use crate::sample_project::{Project, ledger};

/// Methods of the file, ten lines each, and of the whole history. `WATTLE_LSP_METHODS=100000` is what is measured: a debug build takes long to
/// keep so many.
const IN_FILE: usize = 1000;
const USUAL: usize = 4000;

/// A name without digits: those are folded.
fn letters(mut number: usize) -> String {
    let mut name = String::from("m");
    loop {
        name.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return name;
        }
    }
}

/// Resident memory: all of it (`VmRSS`), or that which is no file (`RssAnon`).
fn resident_kilobytes(process: u32, kind: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(kind))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// CPU time of a process so far, in the kernel's ticks (`utime` and `stime` of `/proc/PID/stat`).
fn cpu_ticks(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut words = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut number = || words.next()?.parse::<u64>().ok();
    Some(number()? + number()?)
}

/// Every method of the file has a hint; times and memory are printed, not judged: machines differ.
#[test]
fn large_files_and_histories_are_answered() {
    let methods = std::env::var("WATTLE_LSP_METHODS").ok();
    let methods: usize = methods.map_or(USUAL, |text| text.parse().expect("a number of methods"));
    let project = Project::new();
    let mut text = String::from("package com.example.news\n\nclass Large {\n");
    for number in 0..IN_FILE {
        let name = letters(number);
        write!(text, "    fun {name}(limit: Int): Int {{\n        var sum = {number}\n")
            .expect("text");
        for line in 0..6 {
            writeln!(text, "        sum += limit * {line} + \"{name} }} {{\".length")
                .expect("text");
        }
        text.push_str("        return sum\n    }\n");
    }
    text.push_str("}\n");
    let file = project.file().with_file_name("Large.kt");
    std::fs::write(&file, &text).expect("written");
    let head = project.commit("large");
    let calls: Vec<_> = (0..methods)
        .map(|number| {
            let class = if number < IN_FILE {
                "Large".to_owned()
            } else {
                format!("Of{}", letters(number / 50))
            };
            let caller = (number % 10 != 0).then(|| number as u32 - 1);
            (
                caller,
                format!("com.example.news.{class}.{}", letters(number)),
                Vec::new(),
                1e-6 * number as f64,
            )
        })
        .collect();
    project.keep(&head, 1000, &ledger(&calls));
    let history = project.history();
    let began = Instant::now();
    let mut client = Client::start(
        project.folder.path(),
        &["--store", history.to_str().expect("a path")],
        &lsp4ij(),
    );
    let status = client.wait_for_energies();
    println!("{} methods are known after {:.1?}", status["groups"][0]["methods"], began.elapsed());
    client.open(&file, &text);
    let hints = client.hints(&file);
    assert_eq!(hints.len(), IN_FILE);
    // After each keystroke all is worked out anew.
    let mut times: Vec<Duration> = Vec::new();
    let used_before = cpu_ticks(client.process());
    for version in 2..22 {
        let place = json!({ "line": 3, "character": 0 });
        let change = json!({ "range": { "start": place, "end": place }, "text": "\n" });
        let document = json!({ "uri": uri(&file), "version": version });
        client.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
        let began = Instant::now();
        let hints = client.hints(&file);
        times.push(client.arrived - began);
        assert_eq!(hints.len(), IN_FILE);
    }
    times.sort();
    println!(
        "all hints of {} lines after an edit, until they have arrived: median {:.1?}, longest {:.1?}",
        text.lines().count(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
    if let (Some(before), Some(after)) = (used_before, cpu_ticks(client.process())) {
        // A tick is 10 ms on Linux.
        let each = (after - before) as f64 * 10.0 / times.len() as f64;
        println!("of that the server's own work: {each:.1} ms of CPU each");
    }
    for kind in ["VmRSS:", "RssAnon:"] {
        if let Some(kilobytes) = resident_kilobytes(client.process(), kind) {
            println!("{kind} {:.1} MB", kilobytes as f64 * 1024.0 / 1e6);
        }
    }
    client.end();
}
