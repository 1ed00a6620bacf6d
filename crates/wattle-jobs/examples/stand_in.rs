//! Stands in for the `wattle` program, its launcher, a worker and a server that receives uploads, in tests.
//!
//! ```text
//! stand_in confined-child PLAN PROGRAM …   the launcher
//! stand_in report FILE …                   does what the file says, line by line
//! stand_in worker FOLDER URL NAME          a worker; without a database the URL is empty
//! stand_in writes FOLDER URL SEED          uploads files and submits jobs, and prints what was acknowledged
//! ```

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "an example"
)]

#[path = "../../wattle-store/tests/all/ledgers.rs"]
mod ledgers;
#[path = "../tests/all/server_place.rs"]
mod server_place;

use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::time::{Duration, Instant};

use wattle_jobs::{
    AnalysisOptions, JobKind, NewJob, NewUpload, ServerData, StopSignal, Worker, WorkerSettings,
    confined_child,
};
use wattle_store::{Store, StoreLocation};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (verb, arguments) = arguments.split_first().expect("a verb");
    let texts: Vec<String> = arguments.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    match verb.to_str() {
        Some("confined-child") => Err(confined_child(arguments).into()),
        Some("report") => report(&texts),
        Some("worker") => worker(&texts),
        Some("writes") => writes(&texts),
        other => Err(format!("no such verb: {other:?}").into()),
    }
}

/// Obeys the first file.
fn report(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let file = arguments.iter().find(|it| it.starts_with("in/")).expect("a file");
    let text = std::fs::read_to_string(file)?;
    for line in text.lines() {
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "sleep" => std::thread::sleep(Duration::from_millis(value.parse()?)),
            "say" => eprintln!("{value}"),
            "flood" => (0..value.parse()?).for_each(|number: u64| eprintln!("line {number}")),
            "exit" => std::process::exit(value.parse()?),
            "crash" => std::process::abort(),
            "allocate" => {
                let megabytes: usize = value.parse()?;
                let memory = vec![1_u8; megabytes << 20];
                println!("{}", memory.iter().map(|it| u64::from(*it)).sum::<u64>());
            }
            "spin" => while Instant::now().elapsed() < Duration::MAX {},
            "write" => {
                let mut file = std::fs::File::create("out/large")?;
                for _ in 0..value.parse()? {
                    file.write_all(&vec![0; 1 << 20])?;
                }
            }
            "files" => {
                for number in 0..value.parse::<u32>()? {
                    std::fs::write(format!("out/{number}"), vec![0; 1 << 20])?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            // A process of the process, which leaves a mark if it lives.
            "fork" => {
                let script = format!("sleep 1; echo alive > '{value}'");
                std::process::Command::new("sh").args(["-c", &script]).spawn()?;
            }
            "read" => {
                let length = std::fs::read(value).map_err(|error| format!("{value}: {error}"))?;
                eprintln!("read {} bytes", length.len());
            }
            "connect" => drop(std::net::TcpStream::connect(value)?),
            "touch" => std::fs::write(value, "touched")?,
            "environment" => {
                for (name, value) in std::env::vars() {
                    eprintln!("{name}={value}");
                }
            }
            "link" => {
                #[cfg(unix)]
                std::os::unix::fs::symlink(value, "out/report.json")?;
            }
            "json" => std::fs::write("out/report.json", value)?,
            "ledger" => {
                let location = StoreLocation::Folder("out/history".into());
                let mut store = Store::open(&location)?;
                store.keep(&ledgers::run(3, value.parse()?, 1))?;
                store.close()?;
            }
            other => return Err(format!("no such word: {other}").into()),
        }
    }
    Ok(())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn worker(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let location = server_place::location(&arguments[0], &arguments[1]);
    runtime().block_on(async {
        let data = ServerData::open(&location, server_place::limits()).await?;
        let mut settings = WorkerSettings::new(arguments[2].clone(), std::env::current_exe()?);
        settings.confines = false;
        Worker::new(data, settings).run(StopSignal::default()).await;
        Ok(())
    })
}

/// Uploads file after file in pieces, makes a job of each, and prints what is acknowledged, when it is.
fn writes(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let location = server_place::location(&arguments[0], &arguments[1]);
    let seed: usize = arguments[2].parse()?;
    let say = |line: String| {
        println!("{line}");
        std::io::stdout().flush().expect("written");
    };
    runtime().block_on(async {
        let data = ServerData::open(&location, server_place::limits()).await?;
        let project = data.projects().named("energy").await?.id;
        for number in 0.. {
            let content = server_place::content(seed * 1000 + number);
            let new = NewUpload {
                project,
                owner: None,
                name: format!("{seed}-{number}.trace"),
                bytes: content.len() as u64,
                sha256: None,
                set: None,
            };
            let upload = data.uploads().begin(&new).await?;
            say(format!("upload {} {} 0", upload.id, seed * 1000 + number));
            let mut offset = 0;
            for piece in content.chunks(10_000) {
                offset = data.uploads().append(project, &upload.id, offset, piece).await?;
                say(format!("upload {} {} {offset}", upload.id, seed * 1000 + number));
            }
            let file = data.uploads().finish(project, &upload.id).await?;
            say(format!("file {} {} 0", file.id, seed * 1000 + number));
            let job = NewJob {
                project,
                owner: None,
                title: String::new(),
                kind: JobKind::Analyse(AnalysisOptions::default()),
                files: vec![file.id],
                device: None,
            };
            let job = data.jobs().submit(&job).await?;
            say(format!("job {} {} 0", job.id, seed * 1000 + number));
        }
        Ok(())
    })
}
