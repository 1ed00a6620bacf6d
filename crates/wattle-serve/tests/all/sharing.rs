//! Share links show one thing, as long as they live.

use serde_json::json;
use tempfile::TempDir;
use wattle_jobs::{NewLink, ShareSubject};

use crate::server_support::{TestServer, keep_run, keep_run_with, on_data};

fn with_runs() -> TestServer {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        keep_run(data, "default", "com.example").await;
        keep_run(data, "default", "com.secret").await;
    });
    TestServer::start_on(folder, |_| {})
}

fn link(server: &TestServer, runs: &[i64], days: Option<u32>) -> (i64, String) {
    let made = server.post("/projects/default/shares", &json!({ "runs": runs, "days": days }));
    assert_eq!(made.status, 201, "{made:?}");
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let (_, path) = url.split_once("/share/").unwrap();
    (made.json()["link"]["id"].as_i64().unwrap(), format!("/share/{path}"))
}

#[test]
fn a_link_shows_its_run_and_nothing_else() {
    let server = with_runs();
    let (id, path) = link(&server, &[1], Some(7));
    let page = server.get(&path);
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("com.example") && !page.text().contains("/p/default"),
        "{}",
        page.text()
    );
    assert_eq!(server.get(&format!("{path}/data")).status, 200);
    assert_eq!(server.get(&format!("{path}/files/report.json")).status, 200);
    assert_eq!(server.get(&format!("{path}/tracks?from=0")).status, 200);
    for rest in ["/files/..%2f2", "/runs/2", "/files/page-data.json/..", "x"] {
        assert_eq!(server.get(&format!("{path}{rest}")).status, 404, "{rest}");
    }
    assert_eq!(server.ask("POST", &path, &[], &[]).status, 405);
    let gone = server.ask("DELETE", &format!("/api/v1/projects/default/shares/{id}"), &[], &[]);
    assert_eq!(gone.status, 204);
    for rest in ["", "/data", "/tracks", "/files/report.json", "/card"] {
        assert_eq!(server.get(&format!("{path}{rest}")).status, 404, "{rest}");
    }
}

/// The address of a link whose time is over.
fn expired_link(server: &TestServer, run: i64) -> String {
    let secret = on_data(server.folder(), async |data| {
        let project = data.projects().named("default").await.unwrap().id;
        let (subject, expires_ms) = (ShareSubject::Run { run }, Some(data.now_ms() - 1));
        let new = NewLink { project, author: None, subject, expires_ms };
        data.links().create(&new).await.unwrap().0.reveal().to_owned()
    });
    format!("/share/{secret}")
}

#[test]
fn a_link_ends_when_it_says() {
    let server = with_runs();
    assert_eq!(server.get(&expired_link(&server, 1)).status, 404);
    let (_, path) = link(&server, &[1], None);
    assert_eq!(server.get(&path).status, 200);
    for days in [0, 3651, u32::MAX] {
        let share = json!({ "runs": [1], "days": days });
        let refused = server.post("/projects/default/shares", &share);
        let expected = format!("days: expected 1 to 3650, found {days}");
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["message"], json!(expected));
    }
}

#[test]
fn a_server_may_end_all_links() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    let server = TestServer::start_on(folder, |options| options.limits.link_days = Some(30));
    let made = server.post("/projects/default/shares", &json!({ "runs": [1], "days": null }));
    let link = &made.json()["link"];
    let life = link["expires_ms"].as_i64().unwrap() - link["created_ms"].as_i64().unwrap();
    assert!((30 * 86_400_000 - 1000..=30 * 86_400_000).contains(&life), "{life}");
    let share = json!({ "runs": [1], "days": 31 });
    assert_eq!(server.post("/projects/default/shares", &share).status, 400);
}

#[test]
fn a_comparison_is_shared_as_one() {
    let server = with_runs();
    let (_, path) = link(&server, &[1, 2], None);
    assert_eq!(server.get(&path).status, 200);
    // No energy is known of either run, and the page says so.
    let data = server.get(&format!("{path}/data"));
    assert!(matches!(data.status, 200 | 422), "{data:?}");
    assert_eq!(server.get(&format!("{path}/files/report.json")).status, 404);
    assert_eq!(server.post("/projects/default/shares", &json!({ "runs": [1, 99] })).status, 404);
    assert_eq!(server.post("/projects/default/shares", &json!({ "runs": [] })).status, 400);
}

#[test]
fn a_link_says_that_what_it_showed_was_deleted() {
    let server = with_runs();
    let (_, run) = link(&server, &[1], None);
    let (_, both) = link(&server, &[2, 1], None);
    let (_, other) = link(&server, &[2], None);
    let expired = expired_link(&server, 2);
    assert_eq!(server.get(&both).status, 200);
    let delete = server.ask("DELETE", "/api/v1/projects/default/runs/1", &[], &[]);
    assert_eq!(delete.status, 204);
    for path in ["", "/data", "/files/report.json", "/card"] {
        assert_eq!(server.get(&format!("{run}{path}")).status, 410, "{path}");
    }
    for (path, sentence) in [
        (&run, "The run that this link showed was deleted."),
        (&both, "A run of the comparison that this link showed was deleted."),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 410);
        assert!(page.text().contains(sentence), "{}", page.text());
    }
    assert_eq!(server.get(&format!("{both}/data")).status, 410);
    assert_eq!((server.get(&other).status, server.get(&expired).status), (200, 404));
    let states = server.get("/api/v1/projects/default/shares").json();
    let states: Vec<&str> =
        states.as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["deleted", "deleted", "live", "expired"]);
    let settings = server.get("/p/default/settings").text();
    assert_eq!(settings.matches("shows nothing: a run was deleted").count(), 2, "{settings}");
}

#[test]
fn badges_and_cards_may_be_embedded_and_do_nothing() {
    let server = with_runs();
    let (_, path) = link(&server, &[1], None);
    assert_eq!(server.get(&format!("{path}/badge.svg")).status, 404, "it would show the secret");
    let share = json!({ "runs": [1], "badge": true });
    let made = server.post("/projects/default/shares", &share).json();
    let (_, secret) = made["url"].as_str().unwrap().split_once("/badge/").unwrap();
    let badge = server.get(&format!("/badge/{secret}"));
    assert_eq!(badge.status, 200, "{badge:?}");
    for rest in ["", "/data", "/card", "/files/report.json", "/files/threads.csv"] {
        let other = server.get(&format!("/share/{secret}{rest}"));
        assert_eq!(other.status, 404, "{rest}: {other:?}");
    }
    let (_, share_secret) = path.split_once("/share/").unwrap();
    assert_eq!(server.get(&format!("/badge/{share_secret}")).status, 404);
    assert_eq!(badge.header("content-type"), Some("image/svg+xml"));
    assert!(badge.text().contains("not estimated"), "{}", badge.text());
    let card = server.get(&format!("{path}/card"));
    let policy = card.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors *") && !policy.contains("script-src"), "{policy}");
    assert_eq!(card.header("x-frame-options"), None);
    let page = server.get(&path);
    assert!(page.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
    let id = &made["link"]["id"];
    let gone = server.ask("DELETE", &format!("/api/v1/projects/default/shares/{id}"), &[], &[]);
    assert_eq!(gone.status, 204);
    assert_eq!(server.get(&format!("/badge/{secret}")).status, 404);
}

#[test]
fn names_and_comments_are_text() {
    let server = with_runs();
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let named = server.ask(
        "POST",
        "/p/default/runs/1/name",
        &form,
        b"name=%3Cscript%3Ealert(1)%3C/script%3E",
    );
    assert_eq!(named.status, 303);
    let body = b"comment=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&selection=t%3D0-1%22%3E%3Cscript%3E";
    let comment = server.ask("POST", "/p/default/runs/1/comments", &form, body);
    assert_eq!(comment.status, 303, "{comment:?}");
    let page = server.get("/p/default/runs/1").text();
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains("<script>") && !page.contains("<img src=x"), "{page}");
    assert!(server.get("/p/default/runs").text().contains("&lt;script&gt;"));
    let deleted = server.ask("POST", "/p/default/runs/1/comments/1/delete", &form, b"x=1");
    assert_eq!(deleted.status, 303, "{deleted:?}");
    assert!(!server.get("/p/default/runs/1").text().contains("onerror"));
}

#[test]
fn runs_without_energy_are_not_compared() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        keep_run(data, "default", "com.example").await;
        keep_run_with(data, ("default", "com.example"), None).await;
    });
    let server = TestServer::start_on(folder, |_| {});
    for path in ["/p/default/compare?a=1&b=2", "/p/default/compare/data?a=2&b=1"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 409, "{path}");
        assert!(answer.text().contains("Run:2 has no energy figure to compare."), "{path}");
    }
}
