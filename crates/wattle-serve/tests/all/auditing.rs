//! The audit log: who did what, for those who may know.

use serde_json::Value;
use tempfile::TempDir;
use wattle_jobs::{NewUser, Password, Role};

use crate::access::{PASSWORD, csrf, log_in};
use crate::server_support::{TestServer, keep_run, on_data};

/// A user who manages the server, an admin of one project, and a project of somebody else.
fn server() -> TestServer {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        let other = data.projects().create("other", "", None).await.unwrap();
        let default = data.projects().named("default").await.unwrap();
        for (name, is_admin, project) in
            [("root", true, &default), ("ann", false, &default), ("ben", false, &other)]
        {
            let password = Some(Password::new(PASSWORD).unwrap());
            let new = NewUser { name: name.into(), title: String::new(), password, is_admin };
            let user = data.accounts().create(&new).await.unwrap();
            data.projects().set_role(project.id, user.id, Some(Role::Admin)).await.unwrap();
        }
        keep_run(data, "default", "com.example").await;
        keep_run(data, "other", "com.secret").await;
    });
    TestServer::start_on(folder, |_| {})
}

/// Actions and subjects that a log has, oldest first.
fn entries(json: &Value) -> Vec<(String, String, String)> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let entries = json.as_array().unwrap().iter().rev();
    entries.map(|it| (text(it, "actor"), text(it, "action"), text(it, "subject"))).collect()
}

#[test]
fn logins_tokens_and_changes_of_users_are_in_the_log() {
    let server = server();
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let post = |path: &str, cookie: &str, body: &str, status: u16| {
        let answer = server.ask("POST", path, &[("Cookie", cookie), form], body.as_bytes());
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
    };
    let wrong = server.ask("POST", "/login", &[form], b"name=ann&password=wrong");
    assert_eq!(wrong.status, 403);
    let ann = log_in(&server, "ann");
    let token = csrf(&server, &ann, "default");
    post("/p/default/settings/tokens", &ann, &format!("csrf={token}&title=ci&scope=read"), 201);
    post("/p/default/settings/tokens/1/delete", &ann, &format!("csrf={token}"), 303);
    post("/p/default/runs/1/share", &ann, &format!("csrf={token}&days=7"), 201);
    post("/p/default/settings/links/1/delete", &ann, &format!("csrf={token}"), 303);
    post("/p/default/settings/members", &ann, &format!("csrf={token}&user=ben&role=reader"), 303);
    let password = "another long password";
    let change = format!("csrf={token}&old={PASSWORD}&new={password}");
    post("/p/default/settings/password", &ann, &change.replace(' ', "+"), 303);
    let body = format!("name=ann&password={}", password.replace(' ', "+"));
    let again = server.ask("POST", "/login", &[form], body.as_bytes());
    let ann = again.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let token = csrf(&server, &ann, "default");
    post("/logout", &ann, &format!("csrf={token}"), 303);

    let root = log_in(&server, "root");
    let log = server.ask("GET", "/api/v1/audit", &[("Cookie", &root)], &[]);
    let found = entries(&log.json());
    for (action, subject) in [
        ("login.failed", ""),
        ("login", ""),
        ("token.create", "ci"),
        ("token.delete", "token 1"),
        ("link.create", "link 1"),
        ("link.create", "link 2"),
        ("link.delete", "link 1"),
        ("member.set", "ben reader"),
        ("password.set", ""),
        ("logout", ""),
    ] {
        let expected = ("ann".to_owned(), action.to_owned(), subject.to_owned());
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }
    assert!(log.json()[0]["origin"].as_str() == Some("127.0.0.1"), "{log:?}");
    let page = server.ask("GET", "/p/default/settings", &[("Cookie", &root)], &[]).text();
    for action in ["login.failed", "token.create", "password.set", "logout", "link.delete"] {
        assert!(page.contains(&format!(">{action}<")), "{action}");
    }
}

#[test]
fn an_admin_of_a_project_sees_that_alone() {
    let server = server();
    let ann = log_in(&server, "ann");
    let get = |path: &str| server.ask("GET", path, &[("Cookie", &ann)], &[]);
    assert_eq!(get("/api/v1/audit").status, 403);
    assert_eq!(get("/api/v1/audit?project=other").status, 404);
    assert_eq!(get("/api/v1/audit?project=default").status, 200);
    let token = csrf(&server, &ann, "default");
    let headers = [("Cookie", ann.as_str()), ("X-Wattle-Csrf", token.as_str())];
    assert_eq!(server.ask("DELETE", "/api/v1/projects/default/runs/1", &headers, &[]).status, 204);
    let found = entries(&get("/api/v1/audit?project=default").json());
    assert!(found.iter().all(|it| it.1 != "login"), "{found:?}");
    assert_eq!(found.last().unwrap().1, "run.delete");
    assert!(!get("/p/default/settings").text().contains(">login<"));
}
