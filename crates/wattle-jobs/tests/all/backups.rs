//! Backups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wattle_jobs::{
    ErrorKind, JobState, Password, Secret, ServerData, ServerLocation, restore_backup,
};
use wattle_store::RunFilter;

use crate::server_place;
use crate::test_server::{
    PASSWORD, TestPlace, new_upload, project, settings, submit, upload, user, wait, work,
};

async fn session(data: &ServerData) -> Secret {
    let login = data.accounts().log_in("ada", &Password::attempt(PASSWORD), "here").await;
    login.expect("logged in").secret
}

#[test]
fn a_backup_is_a_server() {
    let (place, backup, other) = (TestPlace::sqlite(), TestPlace::sqlite(), TestPlace::sqlite());
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        user(&data, "ada").await;
        let old = session(&data).await;
        let job = submit(&data, project, "ledger 5\njson {}").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        let waiting = submit(&data, project, "ledger 6").await;
        data.uploads().begin(&new_upload(project, "open", 10)).await.expect("begun");
        let budgets = place.location().budget_file(project);
        std::fs::write(&budgets, "[check]").expect("written");
        let list = data.back_up(backup.folder.path()).await.expect("backed up");
        assert!(list.files.len() >= 5, "{list:?}");
        let again = data.back_up(backup.folder.path()).await.expect_err("not empty");
        assert!(again.is_unreadable(), "{again}");
        data.close().await;

        restore_backup(backup.folder.path(), &other.location()).expect("restored");
        let budgets = other.location().budget_file(project);
        assert_eq!(std::fs::read(budgets).expect("read"), b"[check]");
        let data = other.open().await;
        assert!(data.accounts().session(&old).await.expect("asked").is_none());
        session(&data).await;
        let runs = data.jobs().runs(project, job.id).await.expect("runs");
        let mut history = data.history(project).await.expect("opened");
        assert_eq!(history.runs(&RunFilter::default()).await.expect("runs").len(), 1);
        assert!(!history.ledger(runs[0]).await.expect("a ledger").ledger.is_empty());
        let outputs = data.jobs().outputs(project, job.id).await.expect("listed");
        assert_eq!(
            std::fs::read(data.jobs().output_path(project, &outputs[0])).expect("read"),
            b"{}"
        );
        assert!(data.uploads().open(project).await.expect("listed").is_empty());
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        assert_eq!(data.jobs().job(project, waiting.id).await.expect("read").state, JobState::Done);
        let error = restore_backup(backup.folder.path(), &other.location()).expect_err("not empty");
        assert!(error.to_string().contains("is not empty"), "{error}");
    });
}

#[test]
fn backups_that_are_damaged_or_not_whole_are_refused() {
    let (place, backup) = (TestPlace::sqlite(), TestPlace::sqlite());
    let folder = backup.folder.path();
    let list = wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        upload(&data, project, None, b"content").await;
        data.back_up(folder).await.expect("backed up")
    });
    let restore = || {
        let other = TestPlace::sqlite();
        restore_backup(folder, &other.location()).expect_err("refused").to_string()
    };
    let text = std::fs::read_to_string(folder.join("backup.json")).expect("read");
    let version = format!("\"version\": {}", wattle_jobs::SERVER_SCHEMA_VERSION);
    for (from, to, expected) in [
        ("{", "[", "cannot be read"),
        ("\"server.db\"", "\"../server.db\"", "outside of the server's folder"),
        (version.as_str(), "\"version\": 99", "use a later wattle"),
    ] {
        std::fs::write(folder.join("backup.json"), text.replacen(from, to, 1)).expect("written");
        let error = restore();
        assert!(error.contains(expected), "{error}");
    }
    std::fs::write(folder.join("backup.json"), &text).expect("written");
    let content = list.files.keys().find(|it| it.starts_with("projects/")).expect("a file");
    let content = folder.join(content);
    std::fs::remove_file(&content).expect("removed");
    std::fs::write(&content, b"another").expect("written");
    assert!(restore().contains("is damaged"), "{}", restore());
    std::fs::remove_file(folder.join("backup.json")).expect("removed");
    assert!(restore().contains("not a whole one"));
}

/// Files and runs come and go while a backup is made: what it has is whole.
#[test]
fn a_backup_of_a_busy_server_is_whole() {
    let place = TestPlace::sqlite();
    let is_over = Arc::new(AtomicBool::new(false));
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let busy = {
            let (data, is_over) = (data.clone(), Arc::clone(&is_over));
            tokio::spawn(async move {
                let mut number = 0_u32;
                while !is_over.load(Ordering::SeqCst) {
                    let content = format!("content {}", number % 7);
                    let file = upload(&data, project, None, content.as_bytes()).await;
                    if !number.is_multiple_of(3) {
                        data.files().delete(project, file.id).await.expect("deleted");
                    }
                    number += 1;
                }
                number
            })
        };
        for _ in 0..8 {
            let (backup, other) = (TestPlace::sqlite(), TestPlace::sqlite());
            data.back_up(backup.folder.path()).await.expect("backed up");
            let location = ServerLocation::in_folder(other.folder.path());
            restore_backup(backup.folder.path(), &location).expect("restored");
            let copy = ServerData::open(&location, server_place::limits()).await.expect("opened");
            for file in copy.files().newest(project, None, 1000).await.expect("listed") {
                assert!(
                    std::fs::read(copy.files().path(&file))
                        .is_ok_and(|it| it.len() as u64 == file.bytes)
                );
            }
            let absent =
                copy.files().file(project, wattle_jobs::FileId(0)).await.expect_err("none");
            assert_eq!(absent.kind(), ErrorKind::NotFound);
        }
        is_over.store(true, Ordering::SeqCst);
        let number = busy.await.expect("no panic");
        println!("{number} files came while 8 backups were made");
        assert!(number > 8);
    });
}
