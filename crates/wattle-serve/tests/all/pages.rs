//! Pages, their headers and their files.

use crate::server_support::{TestServer, keep_run, on_data};
use tempfile::TempDir;

/// The attributes `name="…"` of a page.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let marker = format!(" {name}=\"");
    let parts = page.split(&marker).skip(1);
    parts.map(|part| part.split('"').next().unwrap().to_owned()).collect()
}

fn with_run() -> TestServer {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| keep_run(data, "default", "com.example").await);
    TestServer::start_on(folder, |_| {})
}

const PAGES: [&str; 12] = [
    "/p/default/findings",
    "/p/default/budgets",
    "/p/default",
    "/p/default/runs",
    "/p/default/runs/1",
    "/p/default/compare?a=1&b=1",
    "/p/default/compare/several",
    "/p/default/apps/com.example",
    "/p/default/queue",
    "/p/default/devices",
    "/p/default/settings",
    "/nothing",
];

#[test]
fn every_page_has_the_headers_and_no_inline_code() {
    let server = with_run();
    for path in PAGES {
        let answer = server.get(path);
        assert_eq!(
            answer.status,
            if path == "/nothing" { 404 } else { 200 },
            "{path}: {}",
            answer.text()
        );
        let policy = answer.header("content-security-policy").unwrap_or_default();
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "style-src 'self';",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("x-frame-options", "DENY"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        assert!(answer.header("x-request-id").is_some(), "{path}");
        let page = answer.text();
        assert!(!page.contains("<style"), "{path}: an inline style sheet");
        assert!(attributes(&page, "style").is_empty(), "{path}: an inline style");
        assert!(!page.contains("onclick=") && !page.contains("javascript:"), "{path}");
        for script in page.split("<script").skip(1) {
            let tag = script.split('>').next().unwrap();
            assert!(tag.contains(" src=\"/assets/"), "{path}: <script{tag}>");
        }
    }
}

#[test]
fn a_comparison_is_of_the_app_that_both_runs_have() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        for app in ["com.example", "com.example", "com.other"] {
            keep_run(data, "default", app).await;
        }
    });
    let server = TestServer::start_on(folder, |_| {});
    let data = |query: &str| {
        let page = server.get(&format!("/p/default/compare?{query}")).text();
        let address = page.split("crossorigin href=\"").nth(1).unwrap().split('"').next().unwrap();
        let current =
            page.split("aria-current=\"true\">").nth(1).unwrap().split('<').next().unwrap();
        (current.to_owned(), address.replace("&amp;", "&"))
    };
    let plain = "/p/default/compare/data?a=1&b=2";
    assert_eq!(data("a=1&b=2"), ("com.example".to_owned(), plain.to_owned()));
    assert_eq!(data("a=1&b=2&whole"), ("Whole device".to_owned(), format!("{plain}&whole=yes")));
    let other = data("a=1&b=2&app=com.y");
    assert_eq!(other, ("com.y".to_owned(), format!("{plain}&app=com.y")));
    assert_eq!(data("a=1&b=3").0, "Whole device");
    // The same runs are another view for each of them.
    let made = |query: &str| server.get(&format!("/api/v1/projects/default/compare?{query}"));
    let [app, whole] = ["a=1&b=2", "a=1&b=2&whole=yes"].map(made);
    assert_ne!(app.header("etag"), whole.header("etag"));
}

#[test]
fn several_runs_are_compared() {
    let folder = TempDir::new().unwrap();
    on_data(folder.path(), async |data| {
        for app in ["com.example", "com.example", "com.other"] {
            keep_run(data, "default", app).await;
        }
    });
    let server = TestServer::start_on(folder, |_| {});
    let of_form = server.get("/p/default/compare/several?run=1&run=2");
    let of_list = server.get("/p/default/compare/several?run=1,2");
    assert_eq!((of_form.status, of_form.text()), (200, of_list.text()));
    let page = of_form.text();
    assert!(page.contains("com.example") && page.contains("/compare?a=1&amp;b=2"), "{page}");
    assert!(!page.contains("different apps"), "{page}");
    let mixed = server.get("/p/default/compare/several?run=1,3").text();
    assert!(mixed.contains("different apps (com.example, com.other)"), "{mixed}");
    for wrong in ["run=1", "run=1,1", "run=1,x", "run=1,99"] {
        let status = server.get(&format!("/p/default/compare/several?{wrong}")).status;
        assert!(matches!(status, 400 | 404), "{wrong}: {status}");
    }
    let file = attributes(&page, "href").into_iter().find(|it| it.contains("energies.json"));
    let rows = server.get(&file.unwrap()).json();
    let rows = rows.as_array().unwrap();
    assert!(rows.iter().any(|row| row["kind"] == "app" && row["run"] == 2), "{rows:?}");
}

#[test]
fn rules_that_are_wrong_stay_to_be_mended() {
    let server = TestServer::start();
    let kind = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer =
        server.ask("POST", "/p/default/budgets", &kind, b"toml=%5B%5Bcheck.rule%5D%5D%0Amine");
    assert_eq!(answer.status, 400);
    let page = answer.text();
    assert!(
        page.contains("Not saved.") && page.contains("[[check.rule]]\nmine</textarea>"),
        "{page}"
    );
    assert!(!server.get("/p/default/budgets").text().contains("mine"));
}

#[test]
fn a_filter_that_finds_nothing_can_be_changed() {
    let server = with_run();
    let page = server.get("/p/default/runs?device=none").text();
    assert!(page.contains("No run is like that") && page.contains("value=\"none\""), "{page}");
}

#[test]
fn lists_are_files_too() {
    let server = with_run();
    let budgets = [("Content-Type", "application/x-www-form-urlencoded")];
    let form = b"toml=%5B%5Bcheck.rule%5D%5D%0Asubject+%3D+%22app%22%0Aat-most+%3D+%221+J%22";
    assert_eq!(server.ask("POST", "/p/default/budgets", &budgets, form).status, 303);
    for path in ["runs", "findings", "budgets", "queue", "devices"] {
        let page = server.get(&format!("/p/default/{path}")).text();
        let links = attributes(&page, "href");
        let files: Vec<&String> = links.iter().filter(|it| it.contains("/tables/")).collect();
        assert!(files.len() >= 2, "{path}: {files:?}");
        for file in files {
            let answer = server.get(&file.replace("&amp;", "&"));
            assert_eq!(answer.status, 200, "{path}: {file}");
            if file.contains(".json") {
                assert!(answer.json().is_array(), "{file}");
            }
        }
    }
    let csv = server.get("/api/v1/projects/default/tables/budgets.csv").text();
    assert!(csv.contains("com.example") && csv.contains("not measured"), "{csv}");
    let devices = server.get("/api/v1/projects/default/tables/devices.json").json();
    assert_eq!((&devices[0]["title"], &devices[0]["runs"]), (&"unknown device".into(), &1.into()));
}

#[test]
fn everything_that_pages_load_is_there() {
    let server = with_run();
    let mut seen = 0;
    for path in PAGES {
        let page = server.get(path).text();
        let loaded = attributes(&page, "src").into_iter().chain(
            attributes(&page, "href").into_iter().filter(|href| href.starts_with("/assets/")),
        );
        for asset in loaded {
            seen += 1;
            let plain = server.get(&asset);
            assert_eq!(plain.status, 200, "{path}: {asset}");
            assert_eq!(
                plain.header("cache-control"),
                Some("public, max-age=31536000, immutable"),
                "{asset}"
            );
            let packed = server.ask("GET", &asset, &[("Accept-Encoding", "gzip")], &[]);
            assert_eq!(packed.header("content-encoding"), Some("gzip"), "{asset}");
            assert!(packed.body.len() < plain.body.len(), "{asset}");
        }
    }
    assert!(seen > 20, "only {seen} files found");
    assert_eq!(server.get("/assets/../server.db").status, 404);
    assert_eq!(server.get("/assets/%2e%2e%2fserver.db").status, 404);
}

#[test]
fn data_of_a_page_is_compressed_and_known_by_its_tag() {
    let server = with_run();
    let path = "/api/v1/projects/default/runs/1/files/page-data.json";
    let plain = server.get(path);
    assert_eq!(plain.json()["report"]["total_joules"], serde_json::Value::Null, "no data is not 0");
    let packed = server.ask("GET", path, &[("Accept-Encoding", "gzip")], &[]);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let tag = packed.header("etag").unwrap().to_owned();
    let again = server.ask("GET", path, &[("If-None-Match", &tag)], &[]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("wattle_views_made_total 1\n"), "{metrics}");
    assert!(metrics.contains("wattle_views_kept_total 2\n"), "{metrics}");
}

#[test]
fn whoever_looks_after_the_machine_gets_answers() {
    let server = TestServer::start();
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(server.get("/readyz").text(), "ready\n");
    let metrics = server.get("/metrics");
    assert!(metrics.text().contains("wattle_jobs_queued 0\n"));
    for line in metrics.text().lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn other_names_and_other_sites_get_nothing() {
    let server = TestServer::start();
    let check = |method: &str, path: &str, headers: &[(&str, &str)], status: u16| {
        let answer = server.ask(method, path, headers, &[]);
        assert_eq!(answer.status, status, "{method} {path} {headers:?}: {}", answer.text());
    };
    let own = format!("http://{}", server.address);
    check("GET", "/p/default", &[("Host", "evil.example")], 403);
    check("GET", "/api/v1/me", &[("Host", "evil.example")], 403);
    check("GET", "/p/default", &[("Host", "localhost:7070")], 200);
    let upload = "/api/v1/projects/default/uploads";
    check("POST", upload, &[("Origin", "https://evil.example")], 403);
    check("POST", upload, &[("Sec-Fetch-Site", "cross-site")], 403);
    check("POST", upload, &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")], 415);
    // A form cannot say that it is JSON.
    check("POST", upload, &[("Content-Type", "text/plain")], 415);
}
