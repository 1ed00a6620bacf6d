//! The same on a real PostgreSQL server.

use wattle_jobs::{ServerData, ServerError};
use wattle_testdata::requires;

use crate::postgres_server::PostgresServer;
use crate::test_server::{TestPlace, wait};
use crate::{accounts, apartness, kills, limits, queue, server_place, uploads};

/// One server for all that is checked on SQLite, too.
#[requires(program = "psql")]
#[test]
fn a_database_of_a_server_does_all_that_sqlite_does() {
    type Check = fn(&TestPlace);
    let checks: [(&str, Check); 8] = [
        ("accounts", accounts::check_accounts),
        ("throttle", accounts::check_throttle),
        ("uploads", uploads::check_uploads),
        ("apart", apartness::check_apart),
        ("limits", limits::check_limits),
        ("uploads_at_once", limits::check_uploads_at_once),
        ("claims", queue::check_claims_at_once),
        ("cancel", queue::check_cancel),
    ];
    let server = PostgresServer::start();
    for (name, check) in checks {
        println!("{name}");
        check(&TestPlace::postgres(&server, name));
    }
}

#[requires(program = "psql")]
#[test]
fn workers_of_several_machines_do_each_job_once() {
    let server = PostgresServer::start();
    queue::check_slow_worker(&TestPlace::postgres(&server, "slow"));
    queue::check_devices(&TestPlace::postgres(&server, "devices"));
    kills::check_killed_workers(&TestPlace::postgres(&server, "killed"), 20);
}

#[requires(program = "psql")]
#[test]
fn histories_of_projects_are_schemas_and_later_tables_are_refused() {
    let server = PostgresServer::start();
    let place = TestPlace::postgres(&server, "energy");
    apartness::check_apart(&place);
    let schemas = "SELECT schemaname FROM pg_tables WHERE tablename = 'run' ORDER BY 1";
    assert_eq!(server.sql("energy", schemas).trim(), "wattle_project_1\nwattle_project_2");
    server.sql("energy", "UPDATE wattle_server SET version = 99");
    let opened = wait(ServerData::open(&place.location(), server_place::limits()));
    assert!(matches!(opened, Err(ServerError::Newer { found: 99, .. })), "{opened:?}");
}

#[requires(program = "psql")]
#[test]
fn killed_servers_lose_nothing_that_was_acknowledged() {
    let server = PostgresServer::start();
    kills::check_killed_servers(&TestPlace::postgres(&server, "killed"), 15);
}
