//! Workers and servers that are killed.

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wattle_jobs::{Housekeeping, JobId, JobState};
use wattle_store::RunFilter;

use crate::server_place::content;
use crate::test_server::{TestPlace, program, project, submit, wait};

/// The number of kills, unless `WATTLE_JOBS_KILLS` says another one.
fn kills(usual: u32) -> u32 {
    let kills = std::env::var("WATTLE_JOBS_KILLS").ok();
    kills.map_or(usual, |text| text.parse().expect("a number of kills"))
}

fn start(place: &TestPlace, verb: &str, name: &str) -> Child {
    let mut command = Command::new(program());
    command.args([verb, place.folder(), &place.url, name]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("starts")
}

/// Kills workers in the middle of jobs. Every job is done, and once in the history.
pub fn check_killed_workers(place: &TestPlace, kills: u32) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let mut jobs: Vec<JobId> = Vec::new();
        let (mut in_job, mut last) = (0, HashSet::new());
        // As a server does: no worker here lives long enough to see that another one is dead.
        let mut housekeeping = Housekeeping::new(data.clone());
        for kill in 0..kills {
            // So that there is always one to be killed in.
            while data.jobs().count(JobState::Queued).await.expect("counted") < 2 {
                let text = format!("sleep 60\nledger {}\nsleep 20", jobs.len() + 1);
                jobs.push(submit(&data, project, &text).await.id);
            }
            let mut worker = start(place, "worker", &format!("w{kill}"));
            // From before its first claim to the middle of its second job or so.
            tokio::time::sleep(Duration::from_millis(50 + u64::from(kill * 7919 % 500))).await;
            worker.kill().expect("killed");
            worker.wait().expect("ended");
            housekeeping.tick().await.expect("kept");
            let unfinished = data.jobs().unfinished().await.expect("listed");
            let begun: HashSet<_> = unfinished
                .iter()
                .filter(|job| job.state == JobState::Running)
                .map(|job| (job.id, job.attempts))
                .collect();
            in_job += begun.difference(&last).count();
            last = begun;
        }
        let mut worker = start(place, "worker", "the last");
        let began = Instant::now();
        while !data.jobs().unfinished().await.expect("listed").is_empty() {
            assert!(began.elapsed() < Duration::from_mins(3), "jobs are left");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        worker.kill().expect("killed");
        worker.wait().expect("ended");
        let mut runs = Vec::new();
        for job in &jobs {
            let known = data.jobs().job(project, *job).await.expect("read");
            assert_eq!((known.state, known.reason), (JobState::Done, None), "{job}");
            let of_job = data.jobs().runs(project, *job).await.expect("runs");
            assert_eq!(of_job.len(), 1, "{job}");
            runs.extend(of_job);
        }
        let mut history = data.history(project).await.expect("opened");
        let kept = history.runs(&RunFilter::default()).await.expect("runs");
        println!(
            "{kills} kills, {in_job} in the middle of a job, {} jobs, {} runs",
            jobs.len(),
            kept.len()
        );
        assert_eq!(kept.len(), jobs.len(), "each job is once in the history");
        assert_eq!(runs.iter().collect::<HashSet<_>>().len(), jobs.len());
        assert!(
            in_job as u32 > kills / 4,
            "only {in_job} of {kills} kills were in the middle of a job"
        );
    });
}

#[test]
fn jobs_of_killed_workers_are_done_once() {
    check_killed_workers(&TestPlace::sqlite(), kills(100));
}

/// Kills servers that receive uploads. What was acknowledged is there.
pub fn check_killed_servers(place: &TestPlace, kills: u32) {
    let mut acknowledged: BTreeMap<(String, String), (usize, u64)> = BTreeMap::new();
    let project = wait(async {
        let data = place.open().await;
        project(&data, "energy").await
    });
    for kill in 0..kills {
        let mut server = start(place, "writes", &kill.to_string());
        // From its beginning to its third file or so; opening a database of PostgreSQL takes longer.
        let usual = if place.url.is_empty() { 20 } else { 250 };
        std::thread::sleep(Duration::from_millis(usual + u64::from(kill * 7919 % 250)));
        server.kill().expect("killed");
        let mut stdout = String::new();
        server.stdout.take().expect("piped").read_to_string(&mut stdout).expect("read");
        server.wait().expect("ended");
        // The last line may be cut off.
        let whole = stdout.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for line in whole.lines() {
            let parts: Vec<&str> = line.split(' ').collect();
            let key = (parts[0].to_owned(), parts[1].to_owned());
            let (number, offset) =
                (parts[2].parse().expect("a number"), parts[3].parse().expect("an offset"));
            acknowledged.insert(key, (number, offset));
        }
    }
    wait(async {
        let data = place.open().await;
        let mut counts = BTreeMap::new();
        for ((kind, name), (number, offset)) in &acknowledged {
            *counts.entry(kind.as_str()).or_insert(0) += 1;
            let bytes = content(*number);
            match kind.as_str() {
                "upload" => {
                    let id = name.parse().expect("an upload");
                    let offset = match data.uploads().upload(project, &id).await {
                        // It goes on from where it stood, or beyond.
                        Ok(upload) => {
                            assert!(upload.received >= *offset, "{name}");
                            let rest = &bytes[upload.received as usize..];
                            data.uploads()
                                .append(project, &id, upload.received, rest)
                                .await
                                .expect("goes on");
                            upload.received
                        }
                        Err(_) => bytes.len() as u64,
                    };
                    assert!(offset <= bytes.len() as u64);
                    let file = data.uploads().finish(project, &id).await.expect("finished");
                    assert_eq!(
                        std::fs::read(data.files().path(&file)).expect("read"),
                        bytes,
                        "{name}"
                    );
                }
                "file" => {
                    let file = data
                        .files()
                        .file(project, name.parse().expect("a number"))
                        .await
                        .expect("a file");
                    assert_eq!(
                        std::fs::read(data.files().path(&file)).expect("read"),
                        bytes,
                        "{name}"
                    );
                }
                _ => {
                    let job = data
                        .jobs()
                        .job(project, name.parse().expect("a number"))
                        .await
                        .expect("a job");
                    assert_eq!(job.state, JobState::Queued);
                }
            }
        }
        println!("{kills} kills: acknowledged {counts:?}");
        assert!(counts.get("job").copied().unwrap_or(0) > kills / 4, "{counts:?}");
        assert!(data.uploads().open(project).await.expect("listed").len() <= kills as usize);
    });
}

#[test]
fn servers_that_are_killed_lose_nothing_that_was_acknowledged() {
    check_killed_servers(&TestPlace::sqlite(), kills(200));
}
