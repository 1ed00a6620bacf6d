//! Runs and files that projects no longer keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use wattle_jobs::{
    AuditScope, Housekeeping, JobState, ProjectId, RetentionRules, ServerData, WallClock,
};
use wattle_store::{RunFilter, RunId};

use crate::ledgers;
use crate::test_server::{TestPlace, new_job, project, settings, submit, upload, wait, work};

const DAY_MS: i64 = 86_400_000;
const NOW_MS: i64 = 2_000_000_000_000;

/// Keeps a run that began so many days ago.
async fn keep(data: &ServerData, project: ProjectId, days: i64, package: &str) -> RunId {
    let mut run = ledgers::run(2, days as f64 + 1.0, 1);
    run.facts.app.package = package.to_owned();
    run.facts.circumstances.started_ms = Some(NOW_MS - days * DAY_MS);
    let mut history = data.history(project).await.expect("a history");
    let id = history.keep(&run).await.expect("kept");
    history.close().await.expect("closed");
    id
}

async fn runs(data: &ServerData, project: ProjectId) -> Vec<i64> {
    let mut history = data.history(project).await.expect("a history");
    let runs = history.runs(&RunFilter::default()).await.expect("listed");
    history.close().await.expect("closed");
    runs.iter().map(|run| run.id.0).collect()
}

#[test]
fn old_runs_and_files_go_and_what_has_a_name_stays() {
    check_retention(&TestPlace::sqlite());
}

/// Runs and files go by the rules of their project.
pub fn check_retention(place: &TestPlace) {
    let now = Arc::new(AtomicI64::new(NOW_MS));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        let (tidy, all) = (project(&data, "tidy").await, project(&data, "all").await);
        for days in [40, 30, 20, 10, 1] {
            keep(&data, tidy, days, "com.example").await;
        }
        keep(&data, tidy, 50, "com.other").await;
        keep(&data, all, 400, "com.example").await;
        data.run_names().set(tidy, RunId(1), "the release").await.expect("named");
        assert!(data.tidy(false).await.expect("nothing").is_empty(), "nothing without a rule");

        let rules = RetentionRules { run_days: Some(15), ..RetentionRules::default() };
        data.retention().set(tidy, rules).await.expect("set");
        assert_eq!(data.retention().rules(tidy).await.expect("read"), rules);
        let dry = data.tidy(true).await.expect("looked");
        assert_eq!(dry[0].runs, [RunId(2), RunId(3), RunId(6)]);
        assert_eq!(runs(&data, tidy).await, [1, 2, 3, 4, 5, 6], "a dry run deletes nothing");
        assert_eq!(data.tidy(false).await.expect("tidied"), dry);
        assert_eq!(runs(&data, tidy).await, [1, 4, 5]);
        assert_eq!(runs(&data, all).await, [1], "another project has rules of its own");
        assert!(data.tidy(false).await.expect("again").is_empty());
        let log = data.audit().newest(AuditScope::Project(tidy), None, 10).await.expect("read");
        assert_eq!(log.len(), 1);
        assert_eq!(log[0].action, "retention.delete");
        assert_eq!(log[0].subject, "3 runs (2, 3, 6), 0 files");

        // The server does it by itself.
        let rules = RetentionRules { series_runs: Some(1), ..rules };
        data.retention().set(tidy, rules).await.expect("set");
        Housekeeping::new(data.clone()).tick().await.expect("ticked");
        assert_eq!(runs(&data, tidy).await, [1, 5]);

        // Files, but not those of jobs that wait.
        let old = upload(&data, tidy, None, b"old").await;
        let waiting = upload(&data, tidy, None, b"old, of a job").await;
        data.jobs().submit(&new_job(&waiting)).await.expect("submitted");
        now.fetch_add(2 * DAY_MS, Ordering::SeqCst);
        let young = upload(&data, tidy, None, b"young").await;
        let rules = RetentionRules { file_days: Some(1), ..RetentionRules::default() };
        data.retention().set(tidy, rules).await.expect("set");
        assert_eq!(data.tidy(true).await.expect("looked")[0].files, 1);
        assert_eq!(data.tidy(false).await.expect("tidied")[0].files, 1);
        assert!(data.files().file(tidy, old.id).await.is_err());
        assert!(!data.files().path(&old).exists());
        for file in [&waiting, &young] {
            assert!(data.files().path(file).exists());
        }
    });
}

#[test]
fn what_jobs_made_of_a_deleted_run_goes_with_it() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "json {}\nledger 1").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        let outputs = data.jobs().outputs(project, job.id).await.expect("listed");
        assert!(!outputs.is_empty(), "the test would prove nothing");
        let rules = RetentionRules { series_runs: Some(0), ..RetentionRules::default() };
        data.retention().set(project, rules).await.expect("set");
        assert_eq!(data.tidy(false).await.expect("tidied")[0].runs.len(), 1);
        assert!(data.jobs().outputs(project, job.id).await.expect("listed").is_empty());
        data.files().sweep().await.expect("swept");
        for output in &outputs {
            assert!(!data.jobs().output_path(project, output).exists(), "{}", output.name);
        }
    });
}

#[test]
fn a_project_is_removed_with_all_that_it_has() {
    check_removal(&TestPlace::sqlite());
}

/// A project goes, and others stay whole.
pub fn check_removal(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let (gone, stays) = (project(&data, "gone").await, project(&data, "stays").await);
        submit(&data, gone, "ledger 1").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        submit(&data, gone, "ledger 2").await;
        let claim = data.claims().claim("w").await.expect("asked").expect("a job");
        assert!(data.projects().remove(gone).await.is_err(), "a job of it is running");
        let done = wattle_jobs::JobEnd::Cancelled;
        data.claims().end(&claim, &done).await.expect("ended");
        submit(&data, stays, "ledger 3").await;
        data.projects().remove(gone).await.expect("removed");
        assert!(!data.location().project(gone).exists());
        assert!(data.projects().project(gone).await.is_err());
        assert!(data.projects().remove(gone).await.is_err());
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done), "the other is whole");
        assert_eq!(runs(&data, stays).await, [1]);
    });
}
