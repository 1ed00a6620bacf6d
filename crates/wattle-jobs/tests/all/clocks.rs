//! Clocks that jump.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use wattle_jobs::{Beat, ClaimWatch, JobEnd, JobState, Password, WallClock};

use crate::test_server::{PASSWORD, TestPlace, project, submit, user, wait};

#[test]
fn a_clock_that_jumps_takes_no_job_and_makes_no_session_longer() {
    let place = TestPlace::sqlite();
    let now = Arc::new(AtomicI64::new(2_000_000_000_000));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        let project = project(&data, "energy").await;
        user(&data, "ada").await;
        let session = data.accounts().log_in("ada", &Password::attempt(PASSWORD), "here").await;
        let session = session.expect("logged in");
        submit(&data, project, "x").await;
        let claim = data.claims().claim("w").await.expect("asked").expect("a job");
        let (mut watch, start) = (ClaimWatch::default(), Instant::now());
        for jump in [10, -20, 100, -1000] {
            now.fetch_add(jump * 365 * 24 * 3600 * 1000, Ordering::SeqCst);
            assert!(data.claims().take_back(&mut watch, start).await.expect("looked").is_empty());
            assert_eq!(data.claims().beat(&claim).await.expect("its own"), Beat::GoOn);
        }
        let done = JobEnd::Done { runs: Vec::new(), outputs: Vec::new() };
        assert_eq!(data.claims().end(&claim, &done).await.expect("ended"), JobState::Done);
        now.store(session.session.expires_ms - 1, Ordering::SeqCst);
        assert!(data.accounts().session(&session.secret).await.expect("asked").is_some());
        now.store(session.session.expires_ms, Ordering::SeqCst);
        assert!(data.accounts().session(&session.secret).await.expect("asked").is_none());
    });
}
