//! `wattle push` to a real server.

use serde_json::{Value, json};
use wattle_phone::{LaunchSpec, MadePackage, Step};
use wattle_testdata::requires;

use crate::phone_bench::{PhoneBench, options};
use crate::served_program::Served;
use crate::support::{trace, wattle};

const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";
const APP: &str = "androidx.benchmark.integration.macrobenchmark.target";

/// The lines before the first empty one.
fn first_lines(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| !line.is_empty()).collect()
}

#[requires(data)]
#[test]
fn the_first_lines_of_a_push_are_those_of_the_report() {
    let served = Served::start();
    let files: [(&str, &[&str]); 9] = [
        ("perfetto/api32_startup_warm_pixel6a.perfetto-trace", &["--app", APP]),
        ("perfetto/api32_startup_warm_pixel6a.perfetto-trace", &[]),
        ("etl/airbus-ShutdownPerfDiagLogger.etl", &[]),
        ("art_trace/perflib-basic.trace", &[]),
        ("perfdata/simpleperf-perf.data", &[]),
        ("batterystats/navitas-batterystats-1.txt", &[]),
        ("bugreport/chkbugreport-deadlock.txt", &[]),
        ("power_meter/s2-nexus5x-monsoon-2020.06.29.tar.gz", &[]),
        ("power_meter/catapult-battor-with-systrace.zip", &[]),
    ];
    let mut read = 0;
    for (name, more) in files {
        let file = wattle_testdata::path(name);
        let report = wattle(["report", file.to_str().expect("a name")].iter().chain(more));
        let push = served.push(&file, more);
        assert_eq!(push.code, report.code, "{name}: {} {}", report.stderr, push.stderr);
        if report.code != Some(0) {
            continue;
        }
        read += 1;
        let (summary, address) = push.stdout.trim_end().rsplit_once('\n').expect("lines");
        let rest = report.stdout.strip_prefix(summary);
        let rest = rest.unwrap_or_else(|| panic!("{name}: {summary}\n\n{}", report.stdout));
        // The whole of what comes before the first section.
        assert!(rest.starts_with("\n\n"), "{name}: {rest}");
        assert!(summary.lines().count() >= first_lines(&report.stdout).len(), "{name}: {summary}");
        assert!(address.starts_with(&format!("{}/p/default/runs/", served.url)), "{address}");
    }
    assert!(read >= 7, "only {read} of the files could be read");
}

#[requires(data)]
#[test]
fn a_job_is_json_and_a_run_has_the_name_of_its_file() {
    let served = Served::start();
    let json = served.push(&trace(TRACE), &["--json", "-"]).json();
    assert_eq!((&json["state"], &json["runs"][0]["id"]), (&json!("done"), &json!(1)));
    let given = served.push(&trace(TRACE), &["--title", "Warm start & feed"]);
    assert_eq!(given.code, Some(0), "{}", given.stderr);
    let (_, page) = served.get("/p/default/runs/1");
    assert!(page.contains(&format!("<title>{TRACE} · Wattle</title>")), "{}", &page[..600]);
    let (_, page) = served.get("/p/default/runs/2");
    assert!(page.contains("<title>Warm start &amp; feed · Wattle</title>"), "{}", &page[..600]);
    let (_, list) = served.get("/p/default/runs");
    assert!(list.contains(TRACE) && list.contains("Warm start &amp; feed"), "{list}");
}

#[requires(data)]
#[test]
fn a_saved_ledger_is_the_run_that_it_was() {
    let served = Served::start();
    let file = served.folder.path().join("warm.ledger.json.zst");
    let name = file.to_str().expect("a name");
    let saved = trace(TRACE);
    let saved = saved.to_str().expect("a name");
    let report = wattle(["report", saved, "--app", APP, "--save", name]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let push = served.push(&file, &["--app", APP, "--commit", "0123abcd"]);
    assert_eq!(push.code, Some(0), "{}", push.stderr);
    let first = report.stdout.lines().next().expect("a line");
    assert_eq!(push.stdout.lines().next(), Some(first));
    let runs = served.get("/api/v1/projects/default/runs").1;
    assert!(runs.contains(APP) && runs.contains("0123abcd"), "{runs}");
    let (status, kept) =
        served.download("/api/v1/projects/default/runs/1/files/run.ledger.json.zst");
    assert_eq!(status, 200);
    assert!(kept.starts_with(&std::fs::read(&file).expect("a ledger")), "another ledger");
    let noise = served.folder.path().join("noise.ledger.json.zst");
    std::fs::write(&noise, b"no ledger").expect("written");
    let refused = served.push(&noise, &[]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("not a ledger"), "{}", refused.stderr);
}

#[requires(data)]
#[test]
fn a_package_gets_an_answer_in_words_and_files() {
    let served = Served::start();
    let file = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let push = served.push(&file, &[]);
    assert_eq!(push.code, Some(0), "{}", push.stderr);
    let summary: Value = {
        let folder = served.folder.path();
        let out = folder.join("app.traced.apk").display().to_string();
        let file = file.to_str().expect("a name");
        wattle(["instrument", file, "--output", &out, "--json", "-", "--quiet"]).json()
    };
    let probed = format!(
        "{} of {} methods with code",
        summary["methods_probed"], summary["methods_with_code"]
    );
    let lines: Vec<&str> = push.stdout.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with(&probed)), "{probed}: {}", push.stdout);
    let is_verified = |subject: &str| {
        lines.iter().any(|line| {
            line.starts_with(subject)
                && line.contains(" is verified: ")
                && line.contains("a2dp.Vol")
        })
    };
    assert!(
        is_verified("the package ") && is_verified("the rewritten package "),
        "{}",
        push.stdout
    );
    assert!(lines.iter().any(|line| line.starts_with("next: ")), "{}", push.stdout);
    assert_eq!(lines.last(), Some(&format!("{}/p/default/jobs/1", served.url).as_str()));

    // The files that it names are there, and the package among them is what the command line makes.
    let job: Value =
        serde_json::from_str(&served.get("/api/v1/projects/default/jobs/1").1).expect("JSON");
    let files = job["files"].as_array().expect("files");
    assert_eq!(files.len(), 5, "{job}");
    for file in files {
        let url = file["url"].as_str().expect("an address");
        assert!(lines.contains(&format!("{}{url}", served.url).as_str()), "{url}: {}", push.stdout);
        let (status, content) = served.get(url);
        assert_eq!(status, 200, "{url}");
        if url.ends_with("instrument.json") {
            let ours: Value = serde_json::from_str(&content).expect("JSON");
            assert_eq!(ours["methods_probed"], summary["methods_probed"]);
        }
        if url.ends_with(".traced.apk") {
            let path = served.folder.path().join("downloaded.apk");
            std::fs::write(&path, served.download(url).1).expect("written");
            let path = path.to_str().expect("a name");
            let verified = wattle(["verify", path, "--json", "-"]).json();
            assert_eq!(verified["clean"], true, "{verified}");
        }
    }
    let (_, page) = served.get("/p/default/jobs/1");
    assert!(page.contains(&probed), "{page}");
    assert!(page.contains("probed%2Fandroguard-a2dp.Vol_137.traced.apk"), "{page}");
    assert_eq!(served.get("/api/v1/projects/default/jobs/1/files/..%2Fserver.db").0, 404);
}

#[requires(data)]
#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_folder() {
    let served = Served::start();
    let folder = tempfile::tempdir().expect("a folder");
    let secret = served.folder.path().join("secret");
    std::fs::write(&secret, "a secret").expect("written");
    std::os::unix::fs::symlink(&secret, folder.path().join("log.txt")).expect("a link");
    let only = served.push(folder.path(), &[]);
    assert_eq!(only.code, Some(2), "{}", only.stderr);
    assert!(only.stderr.contains("1 symbolic link in a folder is not followed"), "{}", only.stderr);
    std::fs::copy(trace(TRACE), folder.path().join("trace.pftrace")).expect("a copy");
    let both = served.push(folder.path(), &["--json", "-"]);
    assert!(both.stderr.contains("1 symbolic link"), "{}", both.stderr);
    assert_eq!(both.json()["state"], "done");
    let (_, page) = served.get("/p/default/jobs/1");
    assert!(page.contains("trace.pftrace") && !page.contains("log.txt"), "{page}");
}

#[requires(program = "adb")]
#[test]
fn each_run_of_a_series_is_a_run_of_the_server_and_of_a_history() {
    let package = "com.example.series";
    let mut phone = options();
    phone.launches = vec![LaunchSpec::new(package, Some(1), vec![Step::sleep(200)])];
    let bench = PhoneBench::new(phone);
    let app = bench.package("app.apk", &MadePackage::new(package));
    let app = app.to_str().expect("UTF-8");
    let made = bench.run([
        "run",
        app,
        "--no-probes",
        "--replace",
        "--force",
        "--duration",
        "1",
        "--repeat",
        "2",
        "--out",
        "rec",
        "--quiet",
    ]);
    assert_eq!(made.code, Some(0), "{}{}", made.stdout, made.stderr);
    let series = bench.path("rec");
    let served = Served::start();
    let pushed = served.push(&series, &["--json", "-"]).json();
    let jobs = pushed.as_array().expect("several jobs");
    assert_eq!(jobs.len(), 2, "{pushed}");
    for job in jobs {
        assert_eq!(
            (&job["state"], job["runs"].as_array().map(Vec::len)),
            (&json!("done"), Some(1))
        );
        let summary = job["runs"][0]["summary"].as_str().unwrap_or_default();
        assert!(summary.contains(package), "{summary}");
        // The recording went up, not its figures alone: it was diagnosed there.
        let run = job["runs"][0]["id"].as_i64().expect("a number");
        let path = format!("/api/v1/projects/default/runs/{run}/files/page-data.json");
        let data: Value = serde_json::from_str(&served.get(&path).1).expect("JSON");
        assert!(!data["diagnosis"].is_null(), "{}", job["title"]);
        let title = job["title"].as_str().unwrap_or_default();
        assert!(title.starts_with("rec run "), "{title}");
    }
    let store = bench.path("history");
    let series = series.to_str().expect("UTF-8");
    let store = store.to_str().expect("UTF-8");
    let imported = wattle(["runs", "import", series, "--store", store]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert_eq!(imported.stdout.lines().count(), 2, "{}", imported.stdout);
    let again = wattle(["runs", "import", series, "--store", store]);
    assert!(again.stdout.lines().all(|line| line.starts_with("already kept")), "{}", again.stdout);
}
