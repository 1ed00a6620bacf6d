//! Uploads.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use wattle_jobs::{ErrorKind, NewUpload, ServerData, ServerError, StillnessWatch, WallClock};

use crate::server_place::content;
use crate::test_server::{TestPlace, new_job, new_upload, project, sha256, upload, wait};

/// All that uploads do.
pub fn check_uploads(place: &TestPlace) {
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let uploads = data.uploads();
        let bytes = content(5);
        let new = NewUpload {
            sha256: Some(sha256(&bytes).to_uppercase()),
            set: Some("monday".into()),
            ..new_upload(project, "../../etc/cron.d/x", bytes.len())
        };
        let begun = uploads.begin(&new).await.expect("begun");
        assert_eq!(begun.name, "x");
        assert_eq!(
            uploads.append(project, &begun.id, 0, &bytes[..1000]).await.expect("written"),
            1000
        );
        // What a writer that was dropped wrote does not count.
        let mut dropped = uploads.writer(project, &begun.id, 1000).await.expect("a writer");
        dropped.write(&[0xff; 500]).await.expect("written");
        let second = uploads.writer(project, &begun.id, 1000).await.expect_err("one at a time");
        assert_eq!(second.kind(), ErrorKind::Conflict);
        drop(dropped);
        let error =
            uploads.append(project, &begun.id, 1500, &bytes[1500..]).await.expect_err("a gap");
        assert!(
            matches!(error, ServerError::WrongOffset { expected: 1000, found: 1500 }),
            "{error}"
        );
        let error = uploads.finish(project, &begun.id).await.expect_err("not all is there");
        assert_eq!(error.kind(), ErrorKind::Conflict);
        // Another process, which has not seen the beginning.
        let other = ServerData::open(&place.location(), crate::server_place::limits())
            .await
            .expect("opened");
        other.uploads().append(project, &begun.id, 1000, &bytes[1000..]).await.expect("written");
        let error = uploads
            .append(project, &begun.id, bytes.len() as u64, b"x")
            .await
            .expect_err("too much");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let file = uploads.finish(project, &begun.id).await.expect("finished");
        assert_eq!(
            (file.sha256.as_str(), file.set.as_deref()),
            (sha256(&bytes).as_str(), Some("monday"))
        );
        assert_eq!(std::fs::read(data.files().path(&file)).expect("read"), bytes);
        assert_eq!(uploads.finish(project, &begun.id).await.expect("asked again"), file);
        assert!(uploads.open(project).await.expect("listed").is_empty());
        let in_set = data.files().in_set(project, "monday").await.expect("listed");
        assert_eq!(in_set, std::slice::from_ref(&file));

        // The same content twice is one file on the disk, and two to the user.
        let twin = upload(&data, project, None, &bytes).await;
        assert_ne!(twin.id, file.id);
        assert_eq!(data.files().path(&twin), data.files().path(&file));
        data.files().delete(project, file.id).await.expect("deleted");
        assert_eq!(std::fs::read(data.files().path(&twin)).expect("the twin's"), bytes);
        let job = data.jobs().submit(&new_job(&twin)).await.expect("submitted");
        let error = data.files().delete(project, twin.id).await.expect_err("a job uses it");
        assert_eq!(error.kind(), ErrorKind::Conflict);
        data.jobs().cancel(project, job.id).await.expect("cancelled");
        data.files().delete(project, twin.id).await.expect("deleted");
        assert!(!data.files().path(&twin).exists());
        assert_eq!(data.jobs().inputs(project, job.id).await.expect("listed")[0].name, "run.trace");

        // A file that arrives as another one is refused and gone.
        let new = NewUpload { sha256: Some(sha256(b"else")), ..new_upload(project, "x", 4) };
        let begun = uploads.begin(&new).await.expect("begun");
        uploads.append(project, &begun.id, 0, b"this").await.expect("written");
        let error = uploads.finish(project, &begun.id).await.expect_err("another digest");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(uploads.upload(project, &begun.id).await.is_err());
        let new = NewUpload { sha256: Some("zz".into()), ..new };
        assert_eq!(uploads.begin(&new).await.expect_err("no digest").kind(), ErrorKind::Invalid);
        let empty = upload(&data, project, None, b"").await;
        assert_eq!((empty.bytes, empty.sha256), (0, sha256(b"")));
        let left = std::fs::read_dir(place.folder.path().join("uploads")).expect("listed").count();
        assert_eq!(left, 0);
    });
}

#[test]
fn uploads_go_on_where_they_stood() {
    check_uploads(&TestPlace::sqlite());
}

#[test]
fn abandoned_uploads_expire_and_a_clock_that_jumps_ends_none() {
    let place = TestPlace::sqlite();
    let now = Arc::new(AtomicI64::new(1_000_000_000_000));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        let project = project(&data, "energy").await;
        let uploads = data.uploads();
        let begun = uploads.begin(&new_upload(project, "a", 10)).await.expect("begun");
        std::fs::write(
            place.folder.path().join("uploads/0123456789abcdef0123456789abcdef"),
            "litter",
        )
        .expect("written");
        std::fs::write(place.folder.path().join("uploads/README"), "somebody's").expect("written");
        let (mut watch, start) = (StillnessWatch::default(), Instant::now());
        assert_eq!(uploads.expire(&mut watch, start).await.expect("looked"), 0);
        // The wall clock says that a year has gone by; this process's own says a minute.
        now.fetch_add(365 * 24 * 3600 * 1000, Ordering::SeqCst);
        let minute = Duration::from_mins(1);
        assert_eq!(uploads.expire(&mut watch, start + minute).await.expect("looked"), 0);
        uploads.append(project, &begun.id, 0, b"ab").await.expect("goes on");
        assert_eq!(uploads.expire(&mut watch, start + minute * 20).await.expect("looked"), 0);
        now.fetch_add(365 * 24 * 3600 * 1000, Ordering::SeqCst);
        assert_eq!(uploads.expire(&mut watch, start + minute * 40).await.expect("looked"), 1);
        assert!(uploads.upload(project, &begun.id).await.is_err());
        let left: Vec<_> = std::fs::read_dir(place.folder.path().join("uploads"))
            .expect("listed")
            .flatten()
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
    });
}

#[test]
fn contents_without_rows_are_swept() {
    let place = TestPlace::sqlite();
    wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let file = upload(&data, project, None, b"kept").await;
        let folder = data.location().project(project).join("files/ab");
        std::fs::create_dir_all(&folder).expect("made");
        let orphan = folder.join(format!("ab{}", "0".repeat(62)));
        std::fs::write(&orphan, "nobody's").expect("written");
        std::fs::write(folder.join("README"), "somebody's").expect("written");
        assert_eq!(data.files().sweep().await.expect("swept"), 1);
        assert!(!orphan.exists() && folder.join("README").exists());
        assert!(data.files().path(&file).exists());
    });
}

#[test]
fn old_files_are_deleted_unless_a_job_needs_them() {
    let place = TestPlace::sqlite();
    let now = Arc::new(AtomicI64::new(1_000_000_000_000));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        let (one, two) = (project(&data, "one").await, project(&data, "two").await);
        let old = upload(&data, one, None, b"old").await;
        let needed = upload(&data, one, None, b"needed").await;
        let theirs = upload(&data, two, None, b"old").await;
        data.jobs().submit(&new_job(&needed)).await.expect("submitted");
        now.fetch_add(1000, Ordering::SeqCst);
        let new = upload(&data, one, None, b"new").await;
        let deleted = data.files().delete_before(one, now.load(Ordering::SeqCst)).await;
        assert_eq!(deleted.expect("deleted"), 1);
        assert_eq!(data.files().newest(one, None, 10).await.expect("listed"), [new, needed]);
        assert!(!data.files().path(&old).exists() && data.files().path(&theirs).exists());
    });
}
