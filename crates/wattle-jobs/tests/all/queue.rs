//! The queue: each job is claimed once, and ends once.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use wattle_jobs::{
    AnalysisOptions, Beat, ClaimWatch, DeviceNeed, FirstFigures, JobEnd, JobEventKind, JobId,
    JobKind, JobState, LentDevice, NewJob, RunOptions, RunScenario, ServerError, ServerLimits,
};
use wattle_store::RunFilter;

use crate::ledgers;
use crate::server_place;
use crate::test_server::{TestPlace, new_job, project, settings, submit, upload, user, wait, work};

/// Many workers at once claim each job once.
pub fn check_claims_at_once(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let file = upload(&data, project, None, b"x").await;
        for _ in 0..60 {
            data.jobs().submit(&new_job(&file)).await.expect("submitted");
        }
        // Some in this program, some with connections of their own.
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(place.open().await);
        }
        let tasks: Vec<_> = (0..12)
            .map(|number: usize| {
                let data = others.get(number % 4).unwrap_or(&data).clone();
                tokio::spawn(async move {
                    let mut claimed = Vec::new();
                    let mut misses = 0;
                    while misses < 20 {
                        let claim = data.claims().claim(&format!("w{number}")).await;
                        let Some(claim) = claim.expect("asked") else {
                            misses += 1;
                            tokio::time::sleep(Duration::from_millis(5)).await;
                            continue;
                        };
                        claimed.push(claim.job.id);
                        let done = JobEnd::Done { runs: Vec::new(), outputs: Vec::new() };
                        data.claims().end(&claim, &done).await.expect("ended");
                    }
                    claimed
                })
            })
            .collect();
        let mut claimed = Vec::new();
        for task in tasks {
            claimed.extend(task.await.expect("no panic"));
        }
        assert_eq!(claimed.len(), 60);
        assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), 60);
        assert_eq!(data.jobs().count(JobState::Done).await.expect("counted"), 60);
    });
}

#[test]
fn workers_at_once_claim_each_job_once() {
    check_claims_at_once(&TestPlace::sqlite());
}

/// A worker that is taken for dead, and lives.
pub fn check_slow_worker(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "ledger 5").await;
        let claims = data.claims();
        let slow = claims.claim("slow").await.expect("asked").expect("a job");
        assert_eq!(claims.beat(&slow).await.expect("alive"), Beat::GoOn);
        let (mut watch, now, lease) = (ClaimWatch::default(), Instant::now(), data.limits().lease);
        assert!(claims.take_back(&mut watch, now).await.expect("looked").is_empty());
        claims.beat(&slow).await.expect("alive");
        assert!(claims.take_back(&mut watch, now + lease).await.expect("looked").is_empty());
        assert_eq!(claims.take_back(&mut watch, now + lease * 2).await.expect("looked"), [job.id]);
        // It had kept its run, and could not say so.
        let mut history = data.history(project).await.expect("opened");
        let first = ledgers::run(3, 77.0, 1);
        let kept = history.keep_once(&first, &format!("{}:0", slow.key)).await.expect("kept");
        for answer in [claims.beat(&slow).await, claims.progress(&slow, "x", None).await] {
            assert!(matches!(answer, Err(ServerError::ClaimLost)), "{answer:?}");
        }
        // Another one does the job, and comes to another ledger.
        assert_eq!(work(&data, settings("quick")).await, Some(JobState::Done));
        assert_eq!(data.jobs().runs(project, job.id).await.expect("runs"), [kept]);
        let runs = history.runs(&RunFilter::default()).await.expect("runs");
        assert_eq!(runs.len(), 1, "{runs:?}");
        let done = JobEnd::Done { runs: vec![kept], outputs: Vec::new() };
        assert!(matches!(claims.end(&slow, &done).await, Err(ServerError::ClaimLost)));
        let again = history.keep_once(&first, &format!("{}:0", slow.key)).await.expect("kept");
        assert_eq!(again, kept);
        // Nor does it come back once it was deleted.
        history.delete(&[kept]).await.expect("deleted");
        assert_eq!(
            history.keep_once(&first, &format!("{}:0", slow.key)).await.expect("asked"),
            kept
        );
        assert!(history.runs(&RunFilter::default()).await.expect("runs").is_empty());
        let events = data.jobs().events(project, job.id, 0).await.expect("read");
        let kinds: Vec<_> =
            events.iter().map(|it| it.kind).filter(|it| *it != JobEventKind::Progress).collect();
        let names: Vec<_> = kinds.into_iter().map(JobEventKind::name).collect();
        assert_eq!(names, ["queued", "started", "returned", "started", "done"]);
        let numbers: Vec<i64> = events.iter().map(|it| it.number).collect();
        assert_eq!(numbers, (1..=events.len() as i64).collect::<Vec<_>>());
        let rest = data.jobs().events(project, job.id, 3).await.expect("read");
        assert_eq!(rest, events[3..]);
    });
}

#[test]
fn a_slow_worker_adds_no_second_run() {
    check_slow_worker(&TestPlace::sqlite());
}

const FIRST: &str = r#"{"format":"Perfetto trace","device":null,"read_bytes":16000000,"of_bytes":500000000,"seconds":4.5,"joules":1.5,"interval":[1.2,1.9],"components":["cpu"],"consumers":[]}"#;

#[test]
fn first_figures_are_there_until_the_job_ends() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let first = FirstFigures::from_words(FIRST).expect("figures");
        let (claims, lease) = (data.claims(), data.limits().lease);
        let shown =
            async |job: JobId| data.jobs().job(project, job).await.expect("the job").first_figures;
        let ends = [
            JobEnd::Done { runs: Vec::new(), outputs: Vec::new() },
            JobEnd::Failed { reason: "x".to_owned(), outputs: Vec::new() },
            JobEnd::Cancelled,
            JobEnd::Returned { reason: "x".to_owned(), counts: false },
        ];
        for end in ends {
            let job = submit(&data, project, "x").await.id;
            let claim = claims.claim("w").await.expect("asked").expect("a job");
            assert_eq!(shown(job).await, None);
            assert_eq!(claims.state_first(&claim, &first).await.expect("stated"), Beat::GoOn);
            assert_eq!(shown(job).await.as_ref(), Some(&first));
            claims.end(&claim, &end).await.expect("ended");
            assert_eq!(shown(job).await, None, "{end:?}");
            let late = claims.state_first(&claim, &first).await;
            assert!(matches!(late, Err(ServerError::ClaimLost)), "{late:?}");
            // The events say that there were some, and not which.
            let events = data.jobs().events(project, job, 0).await.expect("events");
            let stated = events.iter().find(|it| it.kind == JobEventKind::Figures).expect("one");
            assert_eq!(stated.detail, "figures of the first 16 of 500 MB");
            data.jobs().cancel(project, job).await.expect("cancelled");
        }
        // So they are with a worker that died.
        let job = submit(&data, project, "x").await.id;
        let claim = claims.claim("w").await.expect("asked").expect("a job");
        claims.state_first(&claim, &first).await.expect("stated");
        let (mut watch, now) = (ClaimWatch::default(), Instant::now());
        claims.take_back(&mut watch, now).await.expect("looked");
        assert_eq!(claims.take_back(&mut watch, now + lease * 2).await.expect("looked"), [job]);
        assert_eq!(shown(job).await, None);
        let runs = data.history(project).await.expect("opened").runs(&RunFilter::default()).await;
        assert!(runs.expect("runs").is_empty());
    });
}

#[test]
fn a_process_states_first_figures_while_it_works() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let text = format!("say wattle-first {FIRST}\nsleep 3000\nledger 5");
        let job = submit(&data, project, &text).await.id;
        let seen = async {
            let mut asked = 0;
            loop {
                let now = data.jobs().job(project, job).await.expect("the job");
                if now.first_figures.is_some() || now.state.is_final() {
                    break now;
                }
                asked += 1;
                assert!(asked < 200, "no figures and no end");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let (seen, done) = tokio::join!(seen, work(&data, settings("w")));
        assert_eq!((seen.state, done), (JobState::Running, Some(JobState::Done)));
        assert_eq!(seen.first_figures.and_then(|it| it.joules), Some(1.5));
        assert_eq!(data.jobs().job(project, job).await.expect("the job").first_figures, None);
        assert_eq!(data.jobs().runs(project, job).await.expect("runs").len(), 1);
    });
}

#[test]
fn attempts_are_counted_and_a_job_that_kills_its_workers_fails() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open_with(ServerLimits { attempts: 3, ..server_place::limits() }).await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "x").await;
        let (mut watch, mut now, lease) =
            (ClaimWatch::default(), Instant::now(), data.limits().lease);
        for attempt in 1..=3 {
            let claim = data.claims().claim("w").await.expect("asked").expect("a job");
            assert_eq!(claim.job.attempts, attempt);
            data.claims().take_back(&mut watch, now).await.expect("looked");
            now += lease * 2;
            assert_eq!(data.claims().take_back(&mut watch, now).await.expect("looked").len(), 1);
        }
        assert!(data.claims().claim("w").await.expect("asked").is_none());
        let job = data.jobs().job(project, job.id).await.expect("read");
        assert_eq!(job.state, JobState::Failed);
        assert_eq!(job.reason.as_deref(), Some("its worker gave no sign of life, 3 times so far"));
        // A worker that ends gives its job back, and that is no attempt.
        let job = submit(&data, project, "x").await;
        for _ in 0..10 {
            let claim = data.claims().claim("w").await.expect("asked").expect("a job");
            let end = JobEnd::Returned { reason: "ends".into(), counts: false };
            assert_eq!(data.claims().end(&claim, &end).await.expect("ended"), JobState::Queued);
        }
        assert_eq!(data.jobs().job(project, job.id).await.expect("read").attempts, 0);
    });
}

/// Devices are lent to one job each.
pub fn check_devices(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let file = upload(&data, project, None, b"an APK").await;
        let run = |device| NewJob {
            kind: JobKind::Run(RunOptions {
                scenario: RunScenario::Start { seconds: 10 },
                simulate: None,
                analysis: AnalysisOptions::default(),
            }),
            device,
            ..new_job(&file)
        };
        let (jobs, claims) = (data.jobs(), data.claims());
        let any = jobs.submit(&run(None)).await.expect("submitted").id;
        let absent = DeviceNeed::Serial("absent".into());
        let absent = jobs.submit(&run(Some(absent))).await.expect("submitted").id;
        let pixel = DeviceNeed::Model("Pixel 8".into());
        let pixel = jobs.submit(&run(Some(pixel))).await.expect("submitted").id;
        claims.announce("plain", "a worker without devices", &[]).await.expect("announced");
        assert!(claims.claim("plain").await.expect("asked").is_none());
        let device =
            |serial: &str, model: &str| LentDevice { serial: serial.into(), model: model.into() };
        let (one, two) = (device("1", "Galaxy"), device("2", "Pixel 8"));
        claims.announce("shelf", "a shelf", &[one.clone(), two.clone()]).await.expect("announced");
        // Both workers reach it, and it is one device.
        claims.announce("other", "beside it", std::slice::from_ref(&one)).await.expect("announced");
        assert!(claims.claim("other").await.expect("asked").is_none());
        let first = claims.claim("shelf").await.expect("asked").expect("a job");
        assert_eq!((first.job.id, first.device.as_ref()), (any, Some(&one)));
        let second = claims.claim("shelf").await.expect("asked").expect("a job");
        assert_eq!((second.job.id, second.device.as_ref()), (pixel, Some(&two)));
        assert!(claims.claim("shelf").await.expect("asked").is_none(), "none is left");
        assert_eq!(
            claims.devices().await.expect("listed"),
            [(one.clone(), Some(any)), (two.clone(), Some(pixel))]
        );
        // One that is unplugged while a job has it stays with the job.
        claims.announce("shelf", "a shelf", std::slice::from_ref(&one)).await.expect("announced");
        assert_eq!(claims.devices().await.expect("listed").len(), 2);
        let failed = JobEnd::Failed { reason: "unplugged".into(), outputs: Vec::new() };
        claims.end(&second, &failed).await.expect("ended");
        claims.announce("shelf", "a shelf", std::slice::from_ref(&one)).await.expect("announced");
        assert_eq!(claims.devices().await.expect("listed"), [(one.clone(), Some(any))]);
        // The shelf dies: its job goes back, its devices with it, to whoever has them now.
        let (mut watch, now, lease) = (ClaimWatch::default(), Instant::now(), data.limits().lease);
        claims.take_back(&mut watch, now).await.expect("looked");
        claims.announce("other", "beside it", std::slice::from_ref(&one)).await.expect("announced");
        assert_eq!(claims.take_back(&mut watch, now + lease * 4).await.expect("looked"), [any]);
        claims.announce("other", "beside it", std::slice::from_ref(&one)).await.expect("announced");
        let names: Vec<String> =
            claims.workers().await.expect("listed").into_iter().map(|it| it.0).collect();
        assert_eq!(names, ["other"]);
        let claim = claims.claim("other").await.expect("asked").expect("the job again");
        assert_eq!((claim.job.id, claim.number > first.number), (any, true));
        assert_eq!(jobs.job(project, absent).await.expect("read").state, JobState::Queued);
    });
}

#[test]
fn a_device_is_lent_to_one_job() {
    check_devices(&TestPlace::sqlite());
}

/// Jobs of one user do not keep another one's waiting.
#[test]
fn users_take_turns() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let (ada, bob) = (user(&data, "ada").await.id, user(&data, "bob").await.id);
        let hers = upload(&data, project, Some(ada), b"x").await;
        let his = upload(&data, project, Some(bob), b"x").await;
        for _ in 0..5 {
            data.jobs().submit(&new_job(&hers)).await.expect("submitted");
        }
        data.jobs().submit(&new_job(&his)).await.expect("submitted");
        let mut owners = Vec::new();
        while let Some(claim) = data.claims().claim("w").await.expect("asked") {
            owners.push(claim.job.owner.expect("a user"));
        }
        assert_eq!(owners, [ada, bob, ada, ada, ada, ada]);
    });
}

/// Cancelling a job that waits, one that runs, and one whose worker died.
pub fn check_cancel(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let (jobs, claims) = (data.jobs(), data.claims());
        let waiting = submit(&data, project, "x").await;
        let cancelled = jobs.cancel(project, waiting.id).await.expect("cancelled");
        assert_eq!(cancelled.state, JobState::Cancelled);
        assert!(claims.claim("w").await.expect("asked").is_none());
        let dying = submit(&data, project, "x").await;
        let claim = claims.claim("w").await.expect("asked").expect("a job");
        assert!(jobs.cancel(project, dying.id).await.expect("asked").is_cancelling);
        assert_eq!(claims.beat(&claim).await.expect("alive"), Beat::Cancel);
        let (mut watch, now, lease) = (ClaimWatch::default(), Instant::now(), data.limits().lease);
        claims.take_back(&mut watch, now).await.expect("looked");
        claims.take_back(&mut watch, now + lease).await.expect("looked");
        let job = jobs.job(project, dying.id).await.expect("read");
        assert_eq!((job.state, job.is_cancelling), (JobState::Cancelled, false));
        let done = jobs.cancel(project, dying.id).await.expect("too late");
        assert_eq!(done.state, JobState::Cancelled);

        let running = submit(&data, project, "sleep 60000").await;
        let worker = {
            let data = data.clone();
            tokio::spawn(async move { work(&data, settings("w")).await })
        };
        let began = Instant::now();
        let events = loop {
            let events =
                jobs.wait_for_events(project, running.id, 1, Duration::from_secs(10)).await;
            let events = events.expect("events");
            if events.len() >= 2 {
                break events;
            }
        };
        assert_eq!(events[1].detail, "analysing");
        jobs.cancel(project, running.id).await.expect("asked");
        assert_eq!(worker.await.expect("no panic"), Some(JobState::Cancelled));
        assert!(began.elapsed() < Duration::from_secs(30));
        let left = std::fs::read_dir(data.location().jobs()).expect("listed").count();
        assert_eq!(left, 0, "its folder is gone");
    });
}

#[test]
fn jobs_are_cancelled_in_every_state() {
    check_cancel(&TestPlace::sqlite());
}

#[test]
fn devices_come_and_go_while_a_worker_works() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let worker = wattle_jobs::Worker::new(data.clone(), settings("w"));
        let (shelf, stop) = (worker.devices(), wattle_jobs::StopSignal::default());
        let working = tokio::spawn(worker.run(stop.clone()));
        let device = LentDevice { serial: "1".into(), model: "Pixel 8".into() };
        for devices in [vec![device.clone()], Vec::new(), vec![device.clone()]] {
            shelf.set(devices.clone());
            let began = Instant::now();
            loop {
                let known = data.claims().devices().await.expect("listed");
                if known.into_iter().map(|it| it.0).eq(devices.iter().cloned()) {
                    break;
                }
                assert!(began.elapsed() < Duration::from_secs(20), "{devices:?} are not announced");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        stop.stop();
        working.await.expect("no panic");
        assert!(data.claims().workers().await.expect("listed").is_empty(), "it has left");
        assert!(data.claims().devices().await.expect("listed").is_empty());
    });
}

/// A worker that is told to stop in the middle of a job gives it back, and another one does it.
#[test]
fn a_worker_that_stops_gives_its_job_back() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "sleep 2000\nledger 3").await;
        let stop = wattle_jobs::StopSignal::default();
        let worker = wattle_jobs::Worker::new(data.clone(), settings("w"));
        let working = tokio::spawn(worker.run(stop.clone()));
        while data.jobs().job(project, job.id).await.expect("read").progress.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.stop();
        working.await.expect("no panic");
        let returned = data.jobs().job(project, job.id).await.expect("read");
        assert_eq!((returned.state, returned.attempts), (JobState::Queued, 0));
        assert_eq!(work(&data, settings("another")).await, Some(JobState::Done));
    });
}
