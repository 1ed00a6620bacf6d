//! Users: who is not logged in sees nothing, and nobody sees another project.

use tempfile::TempDir;
use wattle_jobs::{NewUser, Password, Role};

use crate::server_support::{Answer, TestServer, keep_run, on_data};

pub const PASSWORD: &str = "correct horse battery";

/// Two users, each with a project of their own, a run and a share link.
fn two_users() -> TestServer {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        for name in ["ann", "ben"] {
            let password = Some(Password::new(PASSWORD).unwrap());
            let new =
                NewUser { name: name.into(), title: String::new(), password, is_admin: false };
            let user = data.accounts().create(&new).await.unwrap();
            let project = data.projects().create(&format!("{name}s"), "", None).await.unwrap();
            data.projects().set_role(project.id, user.id, Some(Role::Admin)).await.unwrap();
            keep_run(data, &format!("{name}s"), "com.example").await;
        }
    });
    TestServer::start_on(folder, |_| {})
}

/// Logs in, and returns the cookie.
pub fn log_in(server: &TestServer, name: &str) -> String {
    let body = format!("name={name}&password={}", PASSWORD.replace(' ', "+"));
    let kind = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = server.ask("POST", "/login", &kind, body.as_bytes());
    assert_eq!(answer.status, 303, "{}", answer.text());
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

/// The token against forged requests of a session.
pub fn csrf(server: &TestServer, cookie: &str, project: &str) -> String {
    let page = server.ask("GET", &format!("/p/{project}"), &[("Cookie", cookie)], &[]).text();
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// All routes of a project with what exists in it: pages, forms, interface.
fn routes(project: &str) -> Vec<(&'static str, String)> {
    let page = |path: &str| ("GET", format!("/p/{project}{path}"));
    let form = |path: &str| ("POST", format!("/p/{project}{path}"));
    let api =
        |method: &'static str, path: &str| (method, format!("/api/v1/projects/{project}{path}"));
    vec![
        page(""),
        page("/runs"),
        page("/runs/1"),
        page("/compare?a=1&b=1"),
        page("/compare/data?a=1&b=1"),
        page("/compare/several?run=1"),
        page("/apps/com.example"),
        page("/apps/com.example/data"),
        page("/findings"),
        page("/budgets"),
        form("/budgets"),
        page("/queue"),
        page("/jobs/1"),
        page("/jobs/1/report"),
        page("/devices"),
        page("/settings"),
        form("/runs/1/name"),
        form("/runs/1/comments"),
        form("/runs/1/comments/1/delete"),
        form("/runs/1/share"),
        form("/runs/1/ranges"),
        form("/runs/1/delete"),
        form("/jobs/1/cancel"),
        form("/jobs/1/again"),
        form("/settings/tokens"),
        form("/settings/tokens/1/delete"),
        form("/settings/members"),
        form("/settings/links/1/delete"),
        form("/settings/password"),
        api("POST", "/uploads"),
        api("GET", "/uploads/00000000000000000000000000000000"),
        api("PATCH", "/uploads/00000000000000000000000000000000"),
        api("DELETE", "/uploads/00000000000000000000000000000000"),
        api("POST", "/uploads/00000000000000000000000000000000/finish"),
        api("POST", "/jobs"),
        api("GET", "/jobs"),
        api("GET", "/jobs/1"),
        api("POST", "/jobs/1/cancel"),
        api("GET", "/jobs/1/events"),
        api("GET", "/jobs/1/files/verify.json"),
        api("GET", "/budgets"),
        api("PUT", "/budgets"),
        api("GET", "/tables/runs.csv"),
        api("POST", "/check/latest"),
        api("POST", "/check/earlier"),
        api("GET", "/check/runs/1"),
        api("GET", "/runs"),
        api("GET", "/runs/1"),
        api("DELETE", "/runs/1"),
        api("GET", "/runs/1/files/report.json"),
        api("GET", "/runs/1/files/page-data.json"),
        api("GET", "/runs/1/files/threads.csv"),
        api("GET", "/runs/1/tracks"),
        api("POST", "/runs/1/ranges"),
        api("GET", "/jobs/1/page-data.json"),
        api("GET", "/compare?a=1&b=1"),
        api("POST", "/shares"),
        api("GET", "/shares"),
        api("DELETE", "/shares/1"),
    ]
}

/// Bodies that would do, if the caller might.
fn send(
    server: &TestServer,
    (method, path): &(&str, String),
    headers: &[(&str, &str)],
    csrf: &str,
) -> Answer {
    let mut headers = headers.to_vec();
    let form = format!(
        "csrf={csrf}&name=x&comment=x&sure=yes&user=ann&role=admin&title=x&scope=read&old=x&new=x"
    );
    let json = match path.rsplit('/').next() {
        Some("uploads") => r#"{"name":"a","bytes":1}"#,
        Some("jobs") => r#"{"files":[1]}"#,
        Some("latest") => "{}",
        Some("ranges") => r#"{"from_s":0,"to_s":1}"#,
        Some("earlier") => r#"{"facts":{}}"#,
        Some("budgets") => r#"{"toml":""}"#,
        Some("tokens") => r#"{"title":"t","scope":"admin"}"#,
        _ => r#"{"runs":[1]}"#,
    };
    let body = match *method {
        "POST" | "PUT" if path.starts_with("/api/") => {
            headers.push(("Content-Type", "application/json"));
            json.as_bytes()
        }
        "POST" => {
            headers.push(("Content-Type", "application/x-www-form-urlencoded"));
            form.as_bytes()
        }
        "PATCH" => {
            headers.push(("Upload-Offset", "0"));
            b"x"
        }
        _ => b"",
    };
    headers.push(("X-Wattle-Csrf", csrf));
    server.ask(method, path, &headers, body)
}

#[test]
fn every_route_is_walked() {
    // The walk below is only worth something if it knows all routes.
    let description = serde_json::to_value(wattle_serve::api_description()).unwrap();
    let known = routes("P");
    for (path, methods) in description["paths"].as_object().unwrap() {
        let Some(rest) = path.strip_prefix("/api/v1/projects/{project}") else { continue };
        for method in methods.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            let is_this = |(of, route): &&(&str, String)| {
                let route = route.strip_prefix("/api/v1/projects/P");
                let route = route.and_then(|route| route.split('?').next());
                *of == method && route.is_some_and(|route| fits(rest, route))
            };
            assert!(known.iter().any(|route| is_this(&route)), "{method} {path} is not walked");
        }
    }
    let source = include_str!("../../src/pages/mod.rs");
    let patterns = source.split(".route(\"").skip(1).map(|part| part.split('"').next().unwrap());
    for pattern in patterns.filter_map(|pattern| pattern.strip_prefix("/p/{project}")) {
        let is_this = |(_, route): &(&str, String)| {
            let route = route.strip_prefix("/p/P").and_then(|route| route.split('?').next());
            route.is_some_and(|route| fits(pattern, route))
        };
        assert!(known.iter().any(is_this), "/p/{{project}}{pattern} is not walked");
    }
}

/// Whether a path is one of a pattern.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    let is_same = |(a, b): (&&str, &&str)| a.starts_with('{') || a == b;
    pattern.len() == path.len() && pattern.iter().zip(&path).all(is_same)
}

#[test]
fn a_user_sees_nothing_of_another_one() {
    let server = two_users();
    let ann = log_in(&server, "ann");
    let token = csrf(&server, &ann, "anns");
    let own = server.ask("GET", "/p/anns/runs/1", &[("Cookie", &ann)], &[]);
    assert_eq!(own.status, 200, "the walk would prove nothing");
    for route in routes("bens") {
        let answer = send(&server, &route, &[("Cookie", &ann)], &token);
        assert_eq!(answer.status, 404, "{route:?}: {}", answer.text());
        assert!(!answer.text().contains("com.example"), "{route:?}");
    }
    let ben = log_in(&server, "ben");
    let run = server.ask("GET", "/api/v1/projects/bens/runs/1", &[("Cookie", &ben)], &[]);
    assert_eq!(run.status, 200, "ben's run is still there");
    let projects = server.ask("GET", "/api/v1/me", &[("Cookie", &ann)], &[]).json();
    assert_eq!(projects["projects"].as_array().unwrap().len(), 1);
}

#[test]
fn who_is_not_logged_in_sees_nothing() {
    let server = two_users();
    for route in routes("anns") {
        let answer = send(&server, &route, &[], "");
        let is_page = route.0 == "GET" && route.1.starts_with("/p/");
        assert_eq!(answer.status, if is_page { 303 } else { 401 }, "{route:?}: {}", answer.text());
        assert!(!answer.text().contains("com.example"), "{route:?}");
    }
    for headers in [
        [("Cookie", "wattle=wattle_s_0123")],
        [("Cookie", "wattle=")],
        [("Authorization", "Bearer wattle_t_0123")],
        [("Authorization", "Basic YW5uOng=")],
    ] {
        assert_eq!(server.ask("GET", "/api/v1/me", &headers, &[]).status, 401, "{headers:?}");
    }
}

#[test]
fn a_session_changes_nothing_without_its_token() {
    let server = two_users();
    let ann = log_in(&server, "ann");
    for route in routes("anns").iter().filter(|(method, _)| *method != "GET") {
        let answer = send(&server, route, &[("Cookie", &ann)], "wattle_c_wrong");
        assert_eq!(answer.status, 403, "{route:?}: {}", answer.text());
    }
    let token = csrf(&server, &ann, "anns");
    let name = ("POST", "/p/anns/runs/1/name".to_owned());
    assert_eq!(send(&server, &name, &[("Cookie", &ann)], &token).status, 303);
}

#[test]
fn a_token_allows_what_its_scope_says() {
    let server = two_users();
    let ann = log_in(&server, "ann");
    let csrf = csrf(&server, &ann, "anns");
    let make = |scope: &str| {
        let json = format!(r#"{{"title":"t","scope":"{scope}","project":"anns"}}"#);
        let headers = [
            ("Cookie", ann.as_str()),
            ("X-Wattle-Csrf", &csrf),
            ("Content-Type", "application/json"),
        ];
        let answer = server.ask("POST", "/api/v1/tokens", &headers, json.as_bytes());
        assert_eq!(answer.status, 201, "{}", answer.text());
        format!("Bearer {}", answer.json()["secret"].as_str().unwrap())
    };
    let check = |token: &str, method: &'static str, path: &str, status: u16| {
        let answer = send(&server, &(method, path.to_owned()), &[("Authorization", token)], "");
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
    };
    let (read, upload) = (make("read"), make("upload"));
    check(&read, "GET", "/api/v1/projects/anns/runs", 200);
    check(&read, "POST", "/api/v1/projects/anns/uploads", 403);
    check(&upload, "POST", "/api/v1/projects/anns/uploads", 201);
    check(&upload, "DELETE", "/api/v1/projects/anns/runs/1", 403);
    check(&upload, "GET", "/api/v1/projects/bens/runs", 404);
    check(&upload, "POST", "/api/v1/tokens", 403);
    check(&read, "GET", "/metrics", 200);
}

#[test]
fn passwords_are_not_guessed() {
    let server = two_users();
    let mut statuses = Vec::new();
    for nth in 0..14 {
        let body = format!("name=ann&password=wrong{nth}");
        statuses.push(server.ask("POST", "/login", &[], body.as_bytes()).status);
    }
    assert_eq!(statuses[0], 403);
    assert_eq!(statuses[13], 429, "{statuses:?}");
    let unknown = server.ask("POST", "/login", &[], b"name=nobody&password=x");
    assert!(matches!(unknown.status, 403 | 429), "{unknown:?}");
}

#[test]
fn the_old_password_is_not_guessed_and_no_token_changes_it() {
    let server = two_users();
    let ann = log_in(&server, "ann");
    let token = csrf(&server, &ann, "anns");
    let path = "/p/anns/settings/password";
    let made = server.ask(
        "POST",
        "/api/v1/tokens",
        &[("Cookie", &ann), ("X-Wattle-Csrf", &token), ("Content-Type", "application/json")],
        br#"{"title":"t","scope":"read","project":"anns"}"#,
    );
    let bearer = format!("Bearer {}", made.json()["secret"].as_str().unwrap());
    let right = format!("old={PASSWORD}&new=another long password").replace(' ', "+");
    let by_token = server.ask("POST", path, &[("Authorization", &bearer)], right.as_bytes());
    assert_eq!(by_token.status, 403, "{}", by_token.text());
    let guess = |nth: usize| {
        let body = format!("csrf={token}&old=wrong{nth}&new=another+long+password");
        server.ask("POST", path, &[("Cookie", &ann)], body.as_bytes()).status
    };
    let statuses: Vec<u16> = (0..14).map(guess).collect();
    assert_eq!((statuses[0], statuses[13]), (403, 429), "{statuses:?}");
}

#[test]
fn after_logging_out_a_cookie_is_worth_nothing() {
    let server = two_users();
    let ann = log_in(&server, "ann");
    let token = csrf(&server, &ann, "anns");
    let body = format!("csrf={token}");
    let out = server.ask("POST", "/logout", &[("Cookie", &ann)], body.as_bytes());
    assert_eq!(out.status, 303);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(server.ask("GET", "/api/v1/me", &[("Cookie", &ann)], &[]).status, 401);
}

#[test]
fn without_users_nobody_else_is_let_in() {
    let folder = TempDir::new().unwrap();
    let mut options = wattle_serve::ServerOptions::new(folder.path(), "/bin/false");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    options.bind = std::net::SocketAddr::from(([0, 0, 0, 0], 0));
    let error = runtime.block_on(wattle_serve::Server::open(options.clone())).err().unwrap();
    assert!(error.to_string().contains("wattle serve user add NAME"), "{error}");
    options.bind = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    options.public_url = Some("https://wattle.example".into());
    let error = runtime.block_on(wattle_serve::Server::open(options)).err().unwrap();
    assert!(error.to_string().contains("wattle serve user add NAME"), "{error}");
}

/// Resident memory of this process in megabytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn logins_do_not_fill_the_memory() {
    const NAME: &str = "access::logins_do_not_fill_the_memory";
    if std::env::var_os("WATTLE_TEST_ALONE").is_some() {
        check_memory_of_logins();
    } else {
        // The memory of other tests would count, too.
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", NAME]).env("WATTLE_TEST_ALONE", "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}

#[cfg(target_os = "linux")]
fn check_memory_of_logins() {
    let folder = TempDir::new().unwrap();
    let password = Password::new(PASSWORD).unwrap();
    on_data(folder.path(), async |data| {
        let password = Some(password.clone());
        let new = NewUser { name: "ann".into(), title: String::new(), password, is_admin: true };
        data.accounts().create(&new).await.unwrap();
    });
    let data_folder = folder.path().to_owned();
    let _server = TestServer::start_on(folder, |_| {});
    let before = resident();
    on_data(&data_folder, async |data| {
        let mut logins = tokio::task::JoinSet::new();
        // An attempt counts as failed until it has succeeded.
        let places = std::sync::Arc::new(tokio::sync::Semaphore::new(16));
        for nth in 0..200 {
            let (accounts, password) = (data.accounts(), password.clone());
            let place = std::sync::Arc::clone(&places).acquire_owned().await.unwrap();
            // Other work keeps threads busy, so that logins come to many of them.
            logins.spawn_blocking(|| std::thread::sleep(std::time::Duration::from_millis(20)));
            logins.spawn(async move {
                let origin = format!("192.0.2.{nth}");
                accounts.log_in("ann", &password, &origin).await.map(drop).unwrap();
                drop(place);
            });
        }
        while let Some(ended) = logins.join_next().await {
            ended.unwrap();
        }
    });
    let more = resident().saturating_sub(before);
    assert!(more < 120, "{more} MB more after 200 logins");
}
