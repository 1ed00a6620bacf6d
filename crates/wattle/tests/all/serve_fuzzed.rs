//! The HTTP API of the real `wattle serve` against schemathesis, which makes requests out of its description.

use std::process::Command;

use wattle_testdata::requires;

use crate::served_program::Served;

/// Requests for each operation besides those at the bounds of its description; `WATTLE_SCHEMATHESIS_EXAMPLES` sets another number.
const EXAMPLES: &str = "10";

/// Requests go where there is something: names that are made up end at once, with 404. What deletes has names of its own.
const CONFIG: &str = "[generation]
with-security-parameters = false

[parameters]
project = \"default\"
run = 1
job = 1

[[operations]]
include-method = \"DELETE\"

[operations.parameters]
run = 999
";

/// The checks of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// The answer to every request is one that is described, of its type and schema, and no request is the server's fault.
#[requires(program = "python3", env = "WATTLE_SCHEMATHESIS")]
#[test]
fn requests_made_of_the_description_are_answered_as_described() {
    let served = Served::start();
    let folder = served.folder.path();
    served.push_demo("4.1", &[]);
    std::fs::write(folder.join("schemathesis.toml"), CONFIG).expect("a file");
    let examples = std::env::var("WATTLE_SCHEMATHESIS_EXAMPLES");
    let output = Command::new("python3")
        .args(["-m", "schemathesis.cli", "--no-color", "--config-file", "schemathesis.toml", "run"])
        .arg(format!("{}/api/v1/openapi.json", served.url))
        .args(["--phases", "coverage,fuzzing", "--suppress-health-check", "all", "--seed", "1"])
        .args(["--checks", CHECKS])
        .args(["--max-examples", examples.as_deref().unwrap_or(EXAMPLES)])
        .args(["--request-timeout", "5"])
        .current_dir(folder)
        .env("PYTHONPATH", std::env::var_os("WATTLE_SCHEMATHESIS").expect("set"))
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let summary = text.lines().find(|line| line.contains(" generated, "));
    let summary = summary.unwrap_or_else(|| panic!("no number of requests: {text}"));
    let requests = summary.split_whitespace().next().and_then(|it| it.parse::<u32>().ok());
    assert!(requests.is_some_and(|requests| requests > 800), "{summary}");
    println!("{}", summary.trim());
    // It goes on as before.
    let (status, answer) = served.get("/api/v1/projects/default/runs/1");
    assert_eq!(status, 200, "{answer}");
}
