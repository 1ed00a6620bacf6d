//! The user's consent to the use of a device.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::answer::ToolError;
use crate::mcp_setup::ServerSetup;
use crate::opened::RecordingShelf;
use crate::tools::{ToolArguments, device_command, run_arguments, short_command_line};

/// The key of the question.
const QUESTION: &str = "consent";
/// The most questions that wait for an answer; older ones are forgotten.
const MOST_WAITING: usize = 32;

/// The outcome of asking.
#[derive(Debug)]
pub enum Consent {
    /// The user agrees, or had agreed when the server was started.
    Given,
    /// The client has to ask the user and call again.
    Wanted(Box<InputRequiredResult>),
}

/// Questions that wait for an answer: their secret name, and the arguments that they are about.
#[derive(Debug, Default)]
pub struct DeviceConsent {
    waiting: Mutex<Vec<(String, Value)>>,
    /// Makes names that nobody can guess.
    keys: RandomState,
}

impl DeviceConsent {
    /// Asks the user whether a device may be used, in the way of the client's protocol.
    pub async fn ask(
        &self,
        (setup, shelf): (&ServerSetup, &RecordingShelf),
        arguments: &ToolArguments,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Consent, ToolError> {
        // Wrong arguments are errors before anybody is asked.
        let words = run_arguments(shelf, arguments)?;
        let command = device_command(&words);
        if setup.allows_devices {
            return Ok(Consent::Given);
        }
        let can_ask = context.client_capabilities().is_some_and(|it| it.elicitation.is_some());
        if !can_ask {
            let by_hand = short_command_line(&words).map_or_else(String::new, |line| {
                format!("to run it: {line} (then open its recording), or ")
            });
            return Err(ToolError::new(format!(
                "this would change the device, which needs the user's consent, and this client cannot ask for it. \
                 Ask the user {by_hand}to start the server with --allow-device"
            )));
        }
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!(
                "Wattle is asked to use the attached device: install the app, run it, record, restore the device's settings. Command: {command}"
            ),
            requested_schema: ElicitationSchema::new(std::collections::BTreeMap::new()),
        };
        let is_stateless = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if !is_stateless {
            let answered = context.peer.create_elicitation(params).await;
            let answered = answered.map_err(|error| {
                ToolError::new(format!("the client could not ask the user: {error}"))
            })?;
            return judge(&answered.action);
        }
        if let (Some(state), Some(responses)) = (&request.request_state, &request.input_responses) {
            self.take(state, &arguments.value())?;
            let response = responses.get(QUESTION).cloned().unwrap_or_default();
            let answered: ElicitResult = serde_json::from_value(response).map_err(|_| {
                ToolError::new("expected the user's answer (an ElicitResult below the key consent)")
            })?;
            return judge(&answered.action);
        }
        let state = self.wait(&arguments.value());
        let mut questions = InputRequests::new();
        let question = InputRequest::Elicitation(ElicitRequest::new(params));
        questions.insert(QUESTION.to_owned(), question);
        Ok(Consent::Wanted(Box::new(InputRequiredResult::new(Some(questions), Some(state)))))
    }

    /// Remembers a question under a name that nobody can guess.
    fn wait(&self, arguments: &Value) -> String {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = |salt: usize| {
            let mut hasher = self.keys.build_hasher();
            hasher.write_usize(salt);
            hasher.write(arguments.to_string().as_bytes());
            hasher.write_usize(waiting.len());
            let fresh = RandomState::new().build_hasher().finish();
            hasher.finish() ^ fresh
        };
        let name = format!("{:016x}{:016x}", number(1), number(2));
        if waiting.len() >= MOST_WAITING {
            waiting.remove(0);
        }
        waiting.push((name.clone(), arguments.clone()));
        name
    }

    /// Takes a question that was asked about the same arguments: each answer counts once.
    fn take(&self, name: &str, arguments: &Value) -> Result<(), ToolError> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|(known, _)| known == name).ok_or_else(|| {
            ToolError::new("this answer belongs to no question (any more): call run again without requestState")
        })?;
        let (_, asked) = waiting.remove(at);
        if asked == *arguments {
            return Ok(());
        }
        Err(ToolError::new(
            "the user agreed to other arguments: call run again without requestState",
        ))
    }
}

fn judge(action: &ElicitationAction) -> Result<Consent, ToolError> {
    match action {
        ElicitationAction::Accept => Ok(Consent::Given),
        _ => Err(ToolError::new(
            "the user did not agree to the use of the device; nothing was changed",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_counts_once_and_for_its_question() {
        let consent = DeviceConsent::default();
        let first = consent.wait(&json!({ "apk": "a" }));
        let second = consent.wait(&json!({ "apk": "b" }));
        assert_ne!(first, second);
        assert!(consent.take(&first, &json!({ "apk": "c" })).is_err(), "other arguments");
        assert!(consent.take(&first, &json!({ "apk": "a" })).is_err(), "used up");
        assert!(consent.take(&second, &json!({ "apk": "b" })).is_ok());
        assert!(consent.take("guessed", &json!({})).is_err());
    }
}
