//! Arguments that nobody should send: errors, never the end of the server.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use wattle_sim::scenario;

use crate::agent_client::{Agent, Era};
use crate::simulated_recordings::KnownRecording;

/// Names of tools with the names of their parameters, as the server lists them.
fn tools(agent: &mut Agent) -> Vec<(String, Vec<String>)> {
    let listed = agent.result("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools").iter();
    tools
        .map(|tool| {
            let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
            (
                tool["name"].as_str().expect("a name").to_owned(),
                properties.keys().cloned().collect(),
            )
        })
        .collect()
}

#[track_caller]
fn refused(agent: &mut Agent, tool: &str, arguments: Value, expected: &str) {
    let answer = agent.call(tool, arguments.clone());
    let shown = arguments.to_string().chars().take(200).collect::<String>();
    assert!(answer.is_error, "{tool} {shown}: {}", answer.text);
    assert!(answer.text.contains(expected), "{tool} {shown}: {}", answer.text);
    assert!(answer.text.len() < 4000, "{tool} {shown}: {} bytes", answer.text.len());
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(5).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    std::fs::write(folder.path().join("app.apk"), b"PK\x03\x04AndroidManifest.xml")
        .expect("written");
    std::fs::write(folder.path().join("noise.bin"), [0x5a; 4096]).expect("written");
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let mut agent = Agent::start(folder.path(), &["--root", "."]);
    let agent = &mut agent;
    refused(agent, "summary", json!({}), "no recording is open");
    refused(agent, "summary", json!({ "recording": "r7" }), "is not open");
    refused(agent, "open", json!({}), "path is missing");
    refused(agent, "open", json!({ "path": "" }), "empty");
    refused(agent, "open", json!({ "path": 7 }), "path: expected a text, found 7");
    refused(agent, "open", json!({ "path": ["a"] }), "found a list");
    refused(agent, "open", json!({ "path": "no.pftrace" }), "expected the path of a trace");
    refused(
        agent,
        "open",
        json!({ "path": "x".repeat(100_000) }),
        "at most 1024 characters, found 100000",
    );
    refused(agent, "open", json!({ "path": "a\u{0}b" }), "control characters");
    refused(
        agent,
        "open",
        json!({ "path": "phone.pftrace", "nonsense": 1 }),
        "no argument nonsense; expected path",
    );
    refused(
        agent,
        "open",
        json!({ "path": "phone.pftrace", "also": ["phone.pftrace"] }),
        "given twice",
    );
    refused(
        agent,
        "open",
        json!({ "path": "phone.pftrace", "also": vec!["a"; 1000] }),
        "at most 20 texts",
    );
    refused(agent, "open", json!({ "path": "pipe" }), "expected a file or a folder");
    refused(agent, "open", json!({ "path": "app.apk" }), "this is an Android package");
    refused(agent, "open", json!({ "path": "noise.bin" }), "noise.bin");
    refused(agent, "open", json!({ "path": "run:99999999999999999999" }), "No such file");
    refused(agent, "open", json!({ "path": "run:1" }), "no run has been kept yet");
    for outside in [
        "/etc/passwd",
        "../../../../etc/passwd",
        "./../../etc/hosts",
        "/dev/zero",
        "/proc/self/environ",
    ] {
        refused(agent, "open", json!({ "path": outside }), outside);
    }
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).expect("a link");
    refused(agent, "open", json!({ "path": "link" }), "outside of the folders");
    refused(
        agent,
        "open",
        json!({ "path": "phone.pftrace", "device_model": "/etc/passwd" }),
        "outside of the folders",
    );
    refused(agent, "open", json!({ "path": "phone.pftrace", "app": "--help" }), "--help");
    agent.tell("open", known.open.clone());
    refused(agent, "explain", json!({}), "expected one of method, thread");
    refused(agent, "explain", json!({ "method": "a", "thread": "b" }), "expected one subject");
    refused(agent, "explain", json!({ "method": "a", "from": 1 }), "found both");
    refused(
        agent,
        "explain",
        json!({ "method": "com.example.news.ImageDecoder.decodee" }),
        "com.example.news.ImageDecoder.decode",
    );
    refused(agent, "explain", json!({ "thread": "no such" }), "no thread no such");
    refused(agent, "explain", json!({ "component": "warp drive" }), "no component warp drive");
    refused(agent, "explain", json!({ "component": "gpu" }), "was not estimated, which is not 0 J");
    refused(agent, "explain", json!({ "rule": "wakelock" }), "wakelock-never-released");
    refused(agent, "explain", json!({ "from": -1 }), "0 or more, found -1");
    refused(agent, "explain", json!({ "from": 1e300 }), "0 or more");
    refused(agent, "explain", json!({ "from": "NaN" }), "0 or more");
    refused(
        agent,
        "explain",
        json!({ "from": 20, "to": 10 }),
        "expected a period within the recording",
    );
    refused(agent, "explain", json!({ "from": 4000 }), "from 0 to 90 s");
    refused(agent, "top", json!({ "by": "colour" }), "one of method, thread");
    refused(agent, "top", json!({ "limit": -1 }), "a whole number from 0 to 100");
    refused(agent, "top", json!({ "limit": 1.5 }), "a whole number");
    refused(agent, "top", json!({ "limit": 1e18 }), "a whole number");
    refused(agent, "top", json!({ "process": "no.such.app" }), "no process no.such.app");
    refused(agent, "top", json!({ "app": "com.example.new" }), "com.example.news");
    refused(agent, "compare", json!({ "before": "r1", "after": "r1" }), "same recording");
    refused(agent, "compare", json!({ "before": "r1" }), "after is missing");
    refused(agent, "check", json!({ "runs": ["/etc/passwd"] }), "outside of the folders");
    refused(agent, "runs", json!({ "last": "all" }), "last: expected a whole number");
    refused(agent, "run", json!({ "apk": "app.apk" }), "needs the user's consent");
    refused(agent, "run", json!({ "apk": "../x.apk" }), "../x.apk");
    // Far into a list is its end, not an error.
    let far = agent.tell("top", json!({ "offset": 10_000_000 }));
    assert_eq!(far.rows().len(), 0, "{}", far.text);
    let unknown = agent.request("tools/call", json!({ "name": "rm", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(agent.is_alive());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        prop::sample::select(vec![
            "r1",
            "r2",
            "run:1",
            "phone.pftrace",
            ".",
            "..",
            "/",
            "-",
            "--help",
            "cpu",
            "wifi",
            "thread",
            "method",
            "com.example.news",
            "com.example.news.ImageDecoder.decode",
            "feed-sync",
            "total",
            "*",
            "%00",
            "\u{202e}abc",
        ])
        .prop_map(Value::from),
        (0.0_f64..100.0).prop_map(Value::from),
        (0_u64..200).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Random arguments for every tool, those of the right names and others: an answer of the promised form or an error, and a server that
/// goes on. Tools that start other programs are asked less often than they occur.
#[test]
fn random_arguments_never_end_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(6).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let mut agent = Agent::start(folder.path(), &["--root", "."]);
    agent.tell("open", known.open.clone());
    let all = tools(&mut agent);
    let fast: Vec<(String, Vec<String>)> = all
        .into_iter()
        .filter(|(name, _)| {
            ["summary", "top", "explain", "findings", "compare", "model", "open"]
                .contains(&name.as_str())
        })
        .collect();
    let arguments = |names: Vec<String>| {
        let name = prop_oneof![8 => prop::sample::select(names), 1 => "[a-z_]{1,10}".prop_map(String::from)];
        prop::collection::vec((name, any_value()), 0..5)
            .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
    };
    let call = prop::sample::select(fast)
        .prop_flat_map(move |(tool, names)| (Just(tool), arguments(names)));
    let cases =
        std::env::var("WATTLE_MCP_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(400);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut answers = [0, 0];
    let agent = std::cell::RefCell::new(agent);
    let counted = std::cell::RefCell::new(&mut answers);
    TestRunner::new(config)
        .run(&call, |(tool, arguments)| {
            let reply = agent.borrow_mut().call(&tool, arguments);
            prop_assert!(!reply.text.is_empty());
            prop_assert!(!reply.text.contains("internal error"), "{}", reply.text);
            let size = reply.text.len() + reply.structured.to_string().len();
            prop_assert!(size < 20_000, "{size} bytes");
            counted.borrow_mut()[usize::from(reply.is_error)] += 1;
            Ok(())
        })
        .expect("answers or errors");
    println!("{} answers, {} errors", answers[0], answers[1]);
    assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
    assert!(agent.borrow_mut().is_alive());
}

#[test]
fn lines_that_are_no_messages_do_not_end_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    for era in [Era::Handshake, Era::Stateless] {
        let mut agent = Agent::start_in(folder.path(), &[], era, json!({}));
        for line in [
            "{",
            "[]",
            "null",
            "\"text\"",
            "{\"jsonrpc\":\"2.0\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":7}",
            "\u{feff}{}",
        ] {
            agent.send_line(line);
        }
        let deep = "[".repeat(100_000);
        agent.send_line(&deep);
        let answer = agent.call("summary", json!({}));
        assert!(answer.is_error, "{}", answer.text);
        // Each is answered, without a number where it had none.
        let code = |message: &Value| {
            message["id"].is_null().then(|| message["error"]["code"].as_i64()).flatten()
        };
        let mut codes: Vec<i64> = agent.received.iter().filter_map(code).collect();
        codes.sort_unstable();
        // The two that are no JSON, and the six that are no messages.
        assert_eq!(codes, [[-32_700; 2].as_slice(), &[-32_600; 6]].concat(), "{era:?}");
        agent.send_line(&"x".repeat(17 << 20));
        let is_too_long = |message: &Value| {
            message["error"]["message"].as_str().is_some_and(|it| it.contains("at most"))
        };
        let answer = agent.wait(is_too_long);
        assert_eq!(code(&answer), Some(-32_600), "{answer}");
        agent.end();
    }
}
