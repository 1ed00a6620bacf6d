//! Histories in PostgreSQL, on a real server.

use std::collections::BTreeSet;

use wattle_store::{Store, StoreError, StoreLocation};
use wattle_testdata::requires;

use crate::histories::{check_history, check_keys};
use crate::postgres_server::PostgresServer;
use crate::writers::{check_all_whole, printed, writer};

#[requires(program = "psql")]
#[test]
fn a_database_of_a_server_is_a_history() {
    let server = PostgresServer::start();
    check_history(&server.new_location("history"));
    check_keys(&server.new_location("keys"));
    // Deleted runs leave no ledger behind.
    let ledgers = server.sql("history", "SELECT COUNT(*) FROM ledger");
    assert_eq!(ledgers.trim(), "4");
}

#[requires(program = "psql")]
#[test]
fn members_of_a_team_write_at_once() {
    let server = PostgresServer::start();
    let url = server.new_database("team");
    let children: Vec<_> =
        (0..4).map(|seed| writer(&url, 8, seed).spawn().expect("starts")).collect();
    let mut committed = BTreeSet::new();
    for child in children {
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        committed.extend(printed(&output.stdout));
    }
    assert_eq!(committed, (1..=32).collect::<BTreeSet<i64>>());
    let location: StoreLocation = url.parse().expect("a database");
    assert_eq!(check_all_whole(&location), (1..=32).collect::<Vec<i64>>());
}

#[requires(program = "psql")]
#[test]
fn later_tables_and_other_databases_are_refused() {
    let server = PostgresServer::start();
    let location = server.new_location("later");
    drop(Store::open(&location).expect("made"));
    server.sql("later", "UPDATE wattle_history SET version = 99");
    let error = Store::open(&location).expect_err("a later version");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error:?}");
    let foreign = server.new_location("shop");
    server.sql("shop", "CREATE TABLE customer (name TEXT)");
    let error = Store::open(&foreign).expect_err("a shop");
    assert!(matches!(error, StoreError::Foreign { .. }), "{error:?}");
    let absent = format!("{}x", server.new_database("no"));
    let error = Store::open(&absent.parse().expect("a URL")).expect_err("no such database");
    assert!(matches!(error, StoreError::Database { .. }), "{error:?}");
}

#[requires(program = "psql")]
#[test]
fn killed_writers_leave_whole_runs() {
    let server = PostgresServer::start();
    let url = server.new_database("killed");
    let location: StoreLocation = url.parse().expect("a database");
    drop(Store::open(&location).expect("made"));
    for kill in 0..10 {
        let mut child = writer(&url, u32::MAX, kill + 1).spawn().expect("starts");
        std::thread::sleep(std::time::Duration::from_millis(60 + u64::from(kill) * 13));
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    assert!(!check_all_whole(&location).is_empty());
}
