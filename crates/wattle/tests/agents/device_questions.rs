//! Devices are used only with the user's consent.

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::agent_client::{Agent, Era, reply};

/// The app of the tests of `wattle run`.
const APP: &str = "apk/androguard-a2dp.Vol_137.apk";

fn arguments() -> Value {
    let apk = wattle_testdata::path(APP);
    json!({ "apk": apk, "duration": 2 })
}

fn flags() -> [&'static str; 2] {
    ["--device-argument=--simulate=pixel", "--recordings=made"]
}

#[requires(data, program = "adb")]
#[test]
fn a_stateless_client_asks_the_user_and_calls_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut agent = Agent::start_in(folder.path(), &flags(), Era::Stateless, capabilities);
    let call = |responses: Option<(&Value, &str)>, arguments: Value| {
        let mut call = json!({ "name": "run", "arguments": arguments });
        if let Some((state, action)) = responses {
            call["requestState"] = state.clone();
            call["inputResponses"] = json!({ "consent": { "action": action, "content": {} } });
        }
        call
    };
    let asked = agent.result("tools/call", call(None, arguments()));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    let message = question["params"]["message"].as_str().expect("a message");
    assert!(message.contains("wattle run --duration=2"), "{message}");
    assert!(!folder.path().join("made").exists());
    // No is no; the same question is not answered twice, nor by an answer to another.
    let state = asked["requestState"].clone();
    let refused = reply(agent.result("tools/call", call(Some((&state, "decline")), arguments())));
    assert!(refused.is_error && refused.text.contains("did not agree"), "{}", refused.text);
    let again = reply(agent.result("tools/call", call(Some((&state, "accept")), arguments())));
    assert!(again.is_error && again.text.contains("belongs to no question"), "{}", again.text);
    let asked = agent.result("tools/call", call(None, arguments()));
    let mut others = arguments();
    others["duration"] = json!(3);
    let state = asked["requestState"].clone();
    let other = reply(agent.result("tools/call", call(Some((&state, "accept")), others)));
    assert!(other.is_error && other.text.contains("other arguments"), "{}", other.text);
    assert!(!folder.path().join("made").exists());
    let asked = agent.result("tools/call", call(None, arguments()));
    let state = asked["requestState"].clone();
    let measured = reply(agent.result("tools/call", call(Some((&state, "accept")), arguments())));
    assert!(!measured.is_error, "{}", measured.text);
    assert!(
        measured.first_line().starts_with("Measured, open as r1: a2dp.Vol"),
        "{}",
        measured.text
    );
    assert!(folder.path().join("made/mcp-run-1/recording.json").is_file());
    agent.end();
}

#[requires(data, program = "adb")]
#[test]
fn a_client_with_a_handshake_is_asked_while_the_call_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let capabilities = json!({ "elicitation": {} });
    let mut agent = Agent::start_in(folder.path(), &flags(), Era::Handshake, capabilities);
    let id = agent.ask("tools/call", json!({ "name": "run", "arguments": arguments() }));
    let question = agent.wait(|message| message["method"] == "elicitation/create");
    agent
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "cancel" } }));
    let answer = reply(agent.answer(id)["result"].clone());
    assert!(answer.is_error && answer.text.contains("did not agree"), "{}", answer.text);
    assert!(!folder.path().join("made").exists());
    agent.end();
}

#[requires(data)]
#[test]
fn a_client_that_cannot_ask_is_told_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &flags());
    let answer = agent.call("run", arguments());
    assert!(answer.is_error && answer.text.contains("wattle run --duration=2"), "{}", answer.text);
    assert!(!folder.path().join("made").exists());
    agent.end();
}
