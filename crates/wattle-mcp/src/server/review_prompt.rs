//! The prompt that users can choose: a review of a recording.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

use crate::answer::clip;

const NAME: &str = "energy-review";

/// The prompt as the protocol lists it.
pub fn listed() -> Prompt {
    let path = PromptArgument::new("path")
        .with_description("Recording: a trace, a folder, a saved ledger, or run:N")
        .with_required(true);
    Prompt::new(
        NAME,
        Some("Who spent the energy of a recording, and what to change first"),
        Some(vec![path]),
    )
}

/// The text of the prompt.
pub fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if request.name != NAME {
        let text = format!("no prompt {}; expected {NAME}", clip(&request.name, 60));
        return Err(ErrorData::invalid_params(text, None));
    }
    let given = request.arguments.as_ref().and_then(|arguments| arguments.get("path"));
    let Some(path) = given.and_then(|path| path.as_str()) else {
        return Err(ErrorData::invalid_params("path: expected the recording", None));
    };
    let text = format!(
        "Review the energy of the recording {}. Open it with the tool open, then ask findings, top and explain until you can name the \
         three changes that would save most. For each: the method or thread, its energy with the 90 % interval and whether it is measured, \
         modelled or assumed, the cause, the change in the code. Say what the figures do not cover.",
        clip(path, 400)
    );
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
