//! Projects are apart: every question about one, asked of another, finds nothing.

use std::time::Duration;

use wattle_jobs::{ErrorKind, JobFilter, JobState, QuotaHolder, ServerError};

use crate::test_server::{
    TestPlace, new_job, new_upload, project, settings, submit, upload, wait, work,
};

fn not_found<T>(answer: Result<T, ServerError>) -> bool {
    answer.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Asks for everything of one project as the other.
pub fn check_apart(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let (mine, theirs) = (project(&data, "mine").await, project(&data, "theirs").await);
        let file = upload(&data, theirs, None, b"ledger 5\njson {}").await;
        let job = data.jobs().submit(&new_job(&file)).await.expect("submitted");
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        let run = data.jobs().runs(theirs, job.id).await.expect("runs")[0];
        let begun = data.uploads().begin(&new_upload(theirs, "a", 10)).await.expect("begun");
        let same = upload(&data, mine, None, b"ledger 5\njson {}").await;
        assert_ne!(data.files().path(&file), data.files().path(&same), "contents are apart, too");

        let (files, jobs, uploads) = (data.files(), data.jobs(), data.uploads());
        assert!(not_found(files.file(mine, file.id).await));
        assert!(not_found(files.delete(mine, file.id).await));
        assert!(not_found(jobs.job(mine, job.id).await));
        assert!(not_found(jobs.cancel(mine, job.id).await));
        assert!(not_found(jobs.inputs(mine, job.id).await));
        assert!(not_found(jobs.outputs(mine, job.id).await));
        assert!(not_found(jobs.runs(mine, job.id).await));
        assert!(not_found(jobs.of_run(mine, run).await));
        assert!(not_found(uploads.upload(mine, &begun.id).await));
        assert!(not_found(uploads.append(mine, &begun.id, 0, b"x").await));
        assert!(not_found(uploads.finish(mine, &begun.id).await));
        assert!(not_found(uploads.abandon(mine, &begun.id).await));
        assert!(not_found(uploads.finish(mine, &file.upload).await));
        let foreign = wattle_jobs::NewJob { project: mine, ..new_job(&file) };
        assert!(not_found(jobs.submit(&foreign).await));
        assert!(jobs.events(mine, job.id, 0).await.expect("asked").is_empty());
        let waited = jobs.wait_for_events(mine, job.id, 0, Duration::from_millis(1)).await;
        assert!(waited.expect("asked").is_empty());
        assert!(jobs.jobs(mine, JobFilter::default()).await.expect("listed").is_empty());
        assert!(uploads.open(mine).await.expect("listed").is_empty());
        assert_eq!(files.newest(mine, None, 10).await.expect("listed"), [same]);
        let filter = wattle_store::RunFilter::default();
        let mut history = data.history(mine).await.expect("opened");
        assert!(history.runs(&filter).await.expect("listed").is_empty());
        assert!(history.run(run).await.is_err());
        let mut history = data.history(theirs).await.expect("opened");
        assert_eq!(history.runs(&filter).await.expect("listed").len(), 1);
        assert_eq!(jobs.of_run(theirs, run).await.expect("known").id, job.id);
        let outputs = jobs.outputs(theirs, job.id).await.expect("listed");
        assert_eq!(outputs.len(), 1, "{outputs:?}");
        assert_eq!(std::fs::read(jobs.output_path(theirs, &outputs[0])).expect("read"), b"{}");

        let usage = data.quotas().usage(QuotaHolder::Project(theirs)).await.expect("read");
        assert_eq!(usage.bytes, file.bytes + outputs[0].bytes + begun.bytes);

        // The same ledger in the other project is a run of its own, with a number of its own.
        let mine_too = submit(&data, mine, "ledger 5").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        assert_eq!(jobs.runs(mine, mine_too.id).await.expect("runs").len(), 1);
    });
}

#[test]
fn projects_are_apart() {
    check_apart(&TestPlace::sqlite());
}
