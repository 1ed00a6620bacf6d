//! Data that are not opened.

use wattle_jobs::{SERVER_SCHEMA_VERSION, ServerData, ServerError};
use wattle_testdata::requires;

use crate::server_place;
use crate::test_server::{TestPlace, project, wait};

async fn refused(place: &TestPlace) -> ServerError {
    let opened = ServerData::open(&place.location(), server_place::limits()).await;
    opened.expect_err("it is refused")
}

fn sql(place: &TestPlace, text: &str) {
    let file = place.folder.path().join("server.db");
    let done = std::process::Command::new("sqlite3").arg(file).arg(text).status();
    assert!(done.expect("sqlite3 runs").success());
}

#[requires(program = "sqlite3")]
#[test]
fn tables_of_a_later_version_and_of_something_else_are_refused() {
    wait(async {
        let place = TestPlace::sqlite();
        place.open().await.close().await;
        sql(&place, &format!("UPDATE wattle_server SET version = {}", SERVER_SCHEMA_VERSION + 1));
        let error = refused(&place).await;
        assert!(
            matches!(error, ServerError::Newer { found, .. } if found == SERVER_SCHEMA_VERSION + 1)
        );
        assert!(
            error.is_unreadable() && error.to_string().contains("a later wattle wrote them"),
            "{error}"
        );
        let place = TestPlace::sqlite();
        sql(&place, "CREATE TABLE customer (name TEXT)");
        let error = refused(&place).await;
        assert!(matches!(error, ServerError::Foreign { .. }) && error.is_unreadable(), "{error}");
    });
}

#[test]
fn damaged_files_are_errors() {
    wait(async {
        let place = TestPlace::sqlite();
        std::fs::write(place.folder.path().join("server.db"), vec![b'x'; 10_000]).expect("written");
        let error = refused(&place).await;
        assert!(matches!(error, ServerError::Database(_)) && error.is_unreadable(), "{error}");
    });
}

#[test]
fn programs_that_open_at_once_make_one_server() {
    let place = TestPlace::sqlite();
    let names: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|number| {
                let place = &place;
                scope.spawn(move || {
                    wait(async {
                        let data = place.open().await;
                        project(&data, &format!("p{number}")).await
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), 6);
}
