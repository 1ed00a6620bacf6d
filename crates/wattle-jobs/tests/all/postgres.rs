//! The same on a real PostgreSQL server.

use wattle_jobs::{JobState, ServerData, ServerError};
use wattle_testdata::requires;

use crate::postgres_server::PostgresServer;
use crate::test_server::{TestPlace, project, settings, submit, wait, work};
use crate::{accounts, apartness, kills, limits, queue, retention, server_place, uploads};

/// One server for all that is checked on SQLite, too.
#[requires(program = "psql")]
#[test]
fn a_database_of_a_server_does_all_that_sqlite_does() {
    type Check = fn(&TestPlace);
    let checks: [(&str, Check); 10] = [
        ("accounts", accounts::check_accounts),
        ("throttle", accounts::check_throttle),
        ("uploads", uploads::check_uploads),
        ("apart", apartness::check_apart),
        ("limits", limits::check_limits),
        ("uploads_at_once", limits::check_uploads_at_once),
        ("claims", queue::check_claims_at_once),
        ("cancel", queue::check_cancel),
        ("retention", retention::check_retention),
        ("removal", retention::check_removal),
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

fn run(program: &str, arguments: &[&str]) {
    let output = std::process::Command::new(program).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The way that the documentation names: first the database, then the folder.
#[requires(program = "pg_dump", program = "pg_restore")]
#[test]
fn a_server_comes_back_from_a_dump_and_a_copy_of_its_folder() {
    let server = PostgresServer::start();
    let (place, other) =
        (TestPlace::postgres(&server, "energy"), TestPlace::postgres(&server, "restored"));
    let (job, run_id) = wait(async {
        let data = place.open().await;
        let project = project(&data, "energy").await;
        let job = submit(&data, project, "ledger 5\njson {}").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
        let error = data.back_up(other.folder.path()).await.expect_err("a database server's");
        assert!(error.to_string().contains("first run pg_dump"), "{error}");
        let runs = data.jobs().runs(project, job.id).await.expect("runs");
        (job, runs[0])
    });
    let dump = place.folder.path().join("database.dump");
    let dump = dump.to_str().expect("UTF-8");
    run("pg_dump", &["--format=custom", &format!("--file={dump}"), &place.url]);
    run("cp", &["-a", &format!("{}/.", place.folder()), other.folder()]);
    run("pg_restore", &["--no-owner", "--exit-on-error", "--dbname", &other.url, dump]);
    wait(async {
        let data = other.open().await;
        let outputs = data.jobs().outputs(job.project, job.id).await.expect("listed");
        assert!(data.jobs().output_path(job.project, &outputs[0]).exists());
        let mut history = data.history(job.project).await.expect("opened");
        assert!(!history.ledger(run_id).await.expect("a ledger").ledger.is_empty());
        submit(&data, job.project, "ledger 6").await;
        assert_eq!(work(&data, settings("w")).await, Some(JobState::Done));
    });
}
