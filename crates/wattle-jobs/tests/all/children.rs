//! Processes of jobs: their limits, their ends, their words.

use std::time::{Duration, Instant};

use wattle_jobs::{ChildLimits, Job, JobState, WorkerSettings, kernel_confines};

use crate::test_server::{TestPlace, program, project, settings, submit, wait, work};

/// Runs a job that does what the text says.
fn run(text: &str, change: impl FnOnce(&mut WorkerSettings)) -> (Job, Vec<String>) {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, text).await;
        let mut settings = settings("w");
        change(&mut settings);
        work(&data, settings).await.expect("a job");
        let outputs = data.jobs().outputs(project, job.id).await.expect("listed");
        let left = std::fs::read_dir(data.location().jobs()).expect("listed").count();
        assert_eq!(left, 0, "its folder is gone");
        let job = data.jobs().job(project, job.id).await.expect("read");
        (job, outputs.into_iter().map(|it| it.name).collect())
    })
}

#[track_caller]
fn fails(text: &str, limits: ChildLimits, expected: &str) {
    let (job, _) = run(text, |it| it.limits = limits);
    let reason = job.reason.unwrap_or_default();
    assert!(job.state == JobState::Failed && reason.contains(expected), "{text}: {reason}");
}

#[test]
fn every_bad_end_has_a_reason() {
    let limits = || ChildLimits { wall: Duration::from_mins(1), ..ChildLimits::default() };
    fails(
        "say error: in/0/run.trace: no events\nexit 3",
        limits(),
        "the input cannot be read\nerror: run.trace: no events",
    );
    fails("exit 9", limits(), "it ended with the exit code 9");
    fails("exit 70", limits(), "internal error (please report)");
    fails("crash", limits(), "it crashed (it gave up)");
    let small = ChildLimits { address_space: 300 << 20, ..limits() };
    fails("allocate 600", small, "out of memory: it needed more than the 300 MB");
    fails(
        "sleep 60000",
        ChildLimits { wall: Duration::from_millis(300), ..limits() },
        "too slow: it took longer than the 0 s",
    );
    fails(
        "spin",
        ChildLimits { cpu_seconds: 1, ..limits() },
        "too slow: it used more than the 1 s of processor time",
    );
    fails("write 3", ChildLimits { file_bytes: 1 << 20, ..limits() }, "");
    fails(
        "files 200",
        ChildLimits { folder_bytes: 3 << 20, ..limits() },
        "it wrote more than the 3 MB",
    );
    fails("flood 300000\nexit 4", limits(), "line 299999");
    fails("no such word", limits(), "no such word");
}

#[test]
fn a_program_that_cannot_be_started_is_tried_again() {
    let (job, _) = run("x", |it| it.launcher = vec!["/nonexistent/launcher".into()]);
    assert_eq!((job.state, job.attempts), (JobState::Queued, 1));
}

#[test]
fn what_a_process_made_is_kept_and_links_lead_nowhere() {
    let (job, outputs) = run("json {\"a\":1}\nwrite 1", |_| {});
    assert_eq!((job.state, outputs), (JobState::Done, vec!["report.json".to_owned()]));
    let (job, outputs) = run("link /etc/passwd", |_| {});
    assert_eq!((job.state, outputs), (JobState::Done, Vec::new()));
}

#[test]
fn the_environment_is_empty_and_progress_is_passed_on() {
    let (job, _) = run("environment\nsay wattle-progress 1 4 reading\nsleep 600\nexit 5", |it| {
        it.environment.push(("ANDROID_HOME".into(), "/opt/android".into()));
    });
    let reason = job.reason.expect("a reason");
    let allowed = [
        "HOME",
        "TMPDIR",
        "LANG",
        "WATTLE_PROGRESS",
        "GIT_CEILING_DIRECTORIES",
        "PATH",
        "ANDROID_HOME",
    ];
    for line in reason.lines().skip(1) {
        let name = line.split('=').next().unwrap_or_default();
        assert!(allowed.contains(&name), "{line}");
    }
    assert!(reason.contains("ANDROID_HOME=/opt/android"), "{reason}");
    assert_eq!((job.progress.as_deref(), job.fraction), (Some("analysing: reading"), Some(0.25)));
}

#[test]
fn processes_of_the_process_end_with_it() {
    let mark = tempfile::tempdir().expect("a folder");
    let mark = mark.path().join("alive");
    let (job, _) = run(&format!("fork {}", mark.display()), |_| {});
    assert_eq!(job.state, JobState::Done);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!mark.exists(), "a process outlived its job");
}

#[test]
fn confined_processes_do_their_work() {
    let (job, outputs) = run("ledger 4\njson {}", |it| it.confines = true);
    assert_eq!((job.state, job.reason, outputs.len()), (JobState::Done, None, 1));
}

#[test]
fn confined_processes_reach_nothing_else_where_the_kernel_can_do_that() {
    let secret = tempfile::tempdir().expect("a folder");
    let (file, touched) = (secret.path().join("secret"), secret.path().join("touched"));
    std::fs::write(&file, "secret").expect("written");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let expected = if kernel_confines() { JobState::Failed } else { JobState::Done };
    for text in [
        format!("read {}", file.display()),
        format!("touch {}", touched.display()),
        "touch in/0/another".to_owned(),
        format!("connect 127.0.0.1:{port}"),
    ] {
        assert_eq!(run(&text, |_| {}).0.state, JobState::Done, "{text}");
        let _ = std::fs::remove_file(&touched);
        let (job, _) = run(&text, |it| it.confines = true);
        assert_eq!(job.state, expected, "{text}");
        assert_eq!(touched.exists(), !kernel_confines() && text.starts_with("touch /"), "{text}");
    }
    println!("the kernel confines: {}", kernel_confines());
}

/// A worker that is killed takes its process with it.
#[test]
fn a_process_ends_with_its_worker() {
    let place = TestPlace::sqlite();
    let mark = place.folder.path().join("alive");
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, &format!("sleep 1000\ntouch {}", mark.display())).await;
        let mut worker = std::process::Command::new(program());
        let mut worker = worker.args(["worker", place.folder(), "", "w"]).spawn().expect("starts");
        let began = Instant::now();
        while data.jobs().job(project, job.id).await.expect("read").progress.is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "the worker does not begin");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        worker.kill().expect("killed");
        worker.wait().expect("ended");
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert!(!mark.exists(), "a process outlived its worker");
    });
}
