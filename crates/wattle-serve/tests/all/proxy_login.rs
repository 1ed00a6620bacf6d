//! Users whom a proxy names in a header.

use std::net::SocketAddr;

use tempfile::TempDir;
use wattle_jobs::{NewUser, Role};
use wattle_serve::{ProxyTrust, Server, ServerOptions};

use crate::server_support::{Answer, TestServer, on_data};

const HEADER: &str = "X-Remote-User";

fn these(network: &str) -> ProxyTrust {
    ProxyTrust::These(vec![network.parse().unwrap()])
}

/// A server whose users come by a proxy at an address; tests come from 127.0.0.1.
fn behind(proxy: &str, header: Option<&str>) -> TestServer {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        for (name, is_admin) in [("root", true), ("ann", false)] {
            let (name, title) = (name.to_owned(), String::new());
            let user = NewUser { name, title, password: None, is_admin };
            let user = data.accounts().create(&user).await.unwrap();
            let project = data.projects().named("default").await.unwrap();
            data.projects().set_role(project.id, user.id, Some(Role::Member)).await.unwrap();
        }
    });
    TestServer::start_on(folder, |options| {
        options.trust = these(proxy);
        options.login_header = header.map(str::to_owned);
    })
}

fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn who_the_proxy_names_is_logged_in() {
    let server = behind("127.0.0.0/8", Some(HEADER));
    let page = server.ask("GET", "/p/default", &[(HEADER, "Ann")], &[]);
    assert_eq!((page.status, page.header("location")), (303, Some("/login?to=%2Fp%2Fdefault")));
    let login = server.ask("GET", "/login?to=%2Fp%2Fdefault", &[(HEADER, "Ann")], &[]);
    assert_eq!((login.status, login.header("location")), (303, Some("/p/default")), "{login:?}");
    let ann = cookie(&login);
    let page = server.ask("GET", "/p/default", &[(HEADER, "Ann"), ("Cookie", &ann)], &[]);
    assert_eq!(page.status, 200, "{page:?}");
    // What a proxy asked the browser for is not ours.
    let basic = [(HEADER, "ann"), ("Cookie", ann.as_str()), ("Authorization", "Basic YW5uOng=")];
    assert_eq!(server.ask("GET", "/api/v1/me", &basic, &[]).json()["name"], "ann");
    // Somebody new sees nothing until they are given a role.
    let login = server.ask("GET", "/login", &[(HEADER, "new.user")], &[]);
    let new = [(HEADER, "new.user"), ("Cookie", &cookie(&login))];
    let me = server.ask("GET", "/api/v1/me", &new, &[]).json();
    assert_eq!((&me["name"], &me["is_server_admin"]), (&"new.user".into(), &false.into()));
    assert_eq!(me["projects"].as_array().unwrap().len(), 0);
    let audit = [
        (HEADER, "root"),
        ("Cookie", &cookie(&server.ask("GET", "/login", &[(HEADER, "root")], &[]))),
    ];
    let log = server.ask("GET", "/api/v1/audit", &audit, &[]).text();
    assert!(log.contains(r#""actor":"new.user","action":"login""#), "{log}");
}

#[test]
fn a_session_is_worth_nothing_without_its_name() {
    let server = behind("127.0.0.1", Some(HEADER));
    let ann = cookie(&server.ask("GET", "/login", &[(HEADER, "ann")], &[]));
    for headers in [vec![("Cookie", ann.as_str())], vec![("Cookie", &ann), (HEADER, "root")]] {
        let answer = server.ask("GET", "/api/v1/me", &headers, &[]);
        assert_eq!(answer.status, 401, "{headers:?}: {answer:?}");
    }
    let forged = [("Cookie", ann.as_str()), (HEADER, "ann"), ("X-Wattle-Csrf", "wattle_c_0")];
    let change = server.ask("DELETE", "/api/v1/projects/default/runs/1", &forged, &[]);
    assert_eq!(
        change.status, 403,
        "a proxy's header is no proof that the page is ours: {change:?}"
    );
}

#[test]
fn only_the_trusted_proxy_may_name_users() {
    let server = behind("10.9.9.9", Some(HEADER));
    for path in ["/login", "/", "/p/default", "/api/v1/me", "/api/v1/openapi.json"] {
        for name in ["root", "ann", ""] {
            let answer = server.ask("GET", path, &[(HEADER, name)], &[]);
            assert_eq!(answer.status, 403, "{path}: {answer:?}");
            assert!(answer.header("set-cookie").is_none(), "{answer:?}");
        }
    }
    let metrics = server.ask("GET", "/metrics", &[(HEADER, "root")], &[]);
    assert!(!metrics.text().contains("set-cookie"), "{metrics:?}");
    assert_eq!(server.get("/login").status, 403, "nobody is named, and there are no passwords");
}

#[test]
fn a_request_names_one_user_and_no_password_helps() {
    let server = behind("127.0.0.1", Some(HEADER));
    let two = server.ask("GET", "/login", &[(HEADER, "ann"), (HEADER, "root")], &[]);
    assert_eq!(two.status, 403, "{two:?}");
    for name in ["../etc", "a b", &"x".repeat(65)] {
        let answer = server.ask("GET", "/login", &[(HEADER, name)], &[]);
        assert_eq!(answer.status, 400, "{name}: {answer:?}");
    }
    let password = server.ask("POST", "/login", &[], b"name=root&password=x");
    assert_eq!(password.status, 403, "{password:?}");
}

#[test]
fn without_the_flag_the_header_means_nothing() {
    let server = behind("127.0.0.1", None);
    assert_eq!(server.ask("GET", "/api/v1/me", &[(HEADER, "root")], &[]).status, 401);
    let login = server.ask("GET", "/login", &[(HEADER, "root")], &[]);
    assert_eq!((login.status, login.header("set-cookie")), (200, None));
}

#[test]
fn a_header_that_everybody_may_send_is_refused_at_the_start() {
    let folder = TempDir::new().unwrap();
    let mut options = ServerOptions::new(folder.path(), "/bin/false");
    options.bind = SocketAddr::from(([127, 0, 0, 1], 0));
    options.limits.spare_bytes = 0;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (header, trust, expected) in [
        (HEADER, ProxyTrust::Nobody, "--trust-proxy"),
        (HEADER, ProxyTrust::Everybody, "--trust-proxy"),
        ("Cookie", these("127.0.0.1"), "the name of a header"),
        ("X Y", these("127.0.0.1"), "the name of a header"),
        (HEADER, these("127.0.0.1"), "wattle serve user add NAME"),
    ] {
        options.login_header = Some(header.to_owned());
        options.trust = trust;
        let error = runtime.block_on(Server::open(options.clone())).err().unwrap();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
