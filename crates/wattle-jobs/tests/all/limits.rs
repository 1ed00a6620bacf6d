//! Quotas and limits bind.

use wattle_jobs::{JobState, LimitKind, NewUpload, Quota, QuotaHolder, ServerError, ServerLimits};

use crate::server_place;
use crate::test_server::{
    TestPlace, new_job, new_upload, project, settings, submit, upload, user, wait, work,
};

fn kind<T: std::fmt::Debug>(answer: Result<T, ServerError>) -> LimitKind {
    match answer.expect_err("a limit") {
        ServerError::Limit(reached) => reached.kind,
        other => panic!("expected a limit, found {other}"),
    }
}

/// Every limit, at its edge.
pub fn check_limits(place: &TestPlace) {
    let limits = ServerLimits {
        upload_bytes: 1000,
        user_bytes: 1500,
        project_bytes: 2500,
        server_bytes: 3000,
        open_uploads: 3,
        queued_jobs: 2,
        job_files: 2,
        ..server_place::limits()
    };
    wait(async {
        let data = place.open_with(limits.clone()).await;
        let (one, two) = (project(&data, "one").await, project(&data, "two").await);
        let (ada, bob) = (user(&data, "ada").await.id, user(&data, "bob").await.id);
        let uploads = data.uploads();
        let new = |project, owner, bytes| NewUpload {
            owner: Some(owner),
            ..new_upload(project, "a", bytes)
        };
        assert_eq!(kind(uploads.begin(&new(one, ada, 1001)).await), LimitKind::UploadBytes);
        let first = uploads.begin(&new(one, ada, 1000)).await.expect("at the edge");
        // What is declared counts, not what has arrived.
        assert_eq!(kind(uploads.begin(&new(two, ada, 501)).await), LimitKind::UserBytes);
        let _ = uploads.begin(&new(one, ada, 500)).await.expect("at the edge");
        let _ = uploads.begin(&new(one, ada, 0)).await.expect("nothing");
        assert_eq!(kind(uploads.begin(&new(one, ada, 0)).await), LimitKind::OpenUploads);
        assert_eq!(kind(uploads.begin(&new(one, bob, 1001)).await), LimitKind::UploadBytes);
        let _ = uploads.begin(&new(one, bob, 1000)).await.expect("at the edge");
        assert_eq!(kind(uploads.begin(&new(one, bob, 1)).await), LimitKind::ProjectBytes);
        let quotas = data.quotas();
        let wider = Quota { bytes: Some(10_000), open_uploads: Some(100), ..Quota::default() };
        quotas.set(QuotaHolder::User(ada), wider).await.expect("set");
        assert_eq!(quotas.quota(QuotaHolder::User(ada)).await.expect("read"), wider);
        assert_eq!(kind(uploads.begin(&new(two, ada, 501)).await), LimitKind::ServerBytes);
        let usage = quotas.usage(QuotaHolder::User(ada)).await.expect("read");
        assert_eq!((usage.bytes, usage.open_uploads), (1500, 3));
        let usage = quotas.usage(QuotaHolder::Project(one)).await.expect("read");
        assert_eq!((usage.bytes, usage.open_uploads), (2500, 4));
        uploads.abandon(one, &first.id).await.expect("abandoned");
        assert_eq!(quotas.usage(QuotaHolder::User(ada)).await.expect("read").bytes, 500);

        let file = upload(&data, one, Some(ada), b"ledger 1").await;
        let mut job = new_job(&file);
        job.files = vec![file.id; 3];
        assert_eq!(kind(data.jobs().submit(&job).await), LimitKind::JobFiles);
        job.files.clear();
        assert!(matches!(data.jobs().submit(&job).await, Err(ServerError::Invalid { .. })));
        let job = new_job(&file);
        let queued = data.jobs().submit(&job).await.expect("the first");
        data.jobs().submit(&job).await.expect("the second");
        assert_eq!(kind(data.jobs().submit(&job).await), LimitKind::QueuedJobs);
        data.jobs().cancel(one, queued.id).await.expect("cancelled");
        data.jobs().submit(&job).await.expect("there is room again");
        let none = Quota { runs: Some(1), ..Quota::default() };
        quotas.set(QuotaHolder::Project(one), none).await.expect("set");
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Failed), "one run is enough");
    });
}

#[test]
fn limits_bind_at_their_edges() {
    check_limits(&TestPlace::sqlite());
}

/// Uploads that begin at once do not exceed together what each alone would not.
pub fn check_uploads_at_once(place: &TestPlace) {
    let limits = ServerLimits { user_bytes: 10 * 1000, ..server_place::limits() };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let data = place.open_with(limits).await;
        let project = project(&data, "energy").await;
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let data = data.clone();
                tokio::spawn(
                    async move { data.uploads().begin(&new_upload(project, "a", 1000)).await },
                )
            })
            .collect();
        let mut begun = 0;
        for task in tasks {
            begun += u32::from(task.await.expect("no panic").is_ok());
        }
        assert_eq!(begun, 10);
    });
}

#[test]
fn uploads_at_once_share_one_quota() {
    check_uploads_at_once(&TestPlace::sqlite());
}

#[test]
fn the_disk_keeps_its_reserve() {
    let place = TestPlace::sqlite();
    wait(async {
        let limits = ServerLimits { reserve_bytes: 1 << 60, ..server_place::limits() };
        let data = place.open_with(limits).await;
        let project = project(&data, "energy").await;
        let begun = data.uploads().begin(&new_upload(project, "a", 1)).await;
        assert_eq!(kind(begun), LimitKind::FreeDisk);
    });
}

#[test]
fn events_of_a_job_are_bounded() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open_with(ServerLimits { job_events: 5, ..server_place::limits() }).await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "sleep 0").await;
        let claim = data.claims().claim("w").await.expect("asked").expect("a job");
        for part in 0..20 {
            data.claims()
                .progress(&claim, "reading", Some(f64::from(part) / 20.0))
                .await
                .expect("noted");
        }
        let events = data.jobs().events(project, job.id, 0).await.expect("read");
        assert_eq!(events.len(), 5);
        assert_eq!(data.jobs().job(project, job.id).await.expect("read").fraction, Some(0.95));
    });
}
