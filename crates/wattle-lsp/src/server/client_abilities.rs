//! Abilities of the client that answers depend on.

use serde_json::Value;

/// Abilities of the client that answers depend on.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an ability")]
pub(super) struct ClientAbilities {
    /// It can be asked to ask for hints again.
    pub refreshes_hints: bool,
    /// The same of lenses.
    pub refreshes_lenses: bool,
    /// It can be asked to show progress.
    pub has_progress: bool,
    /// It can be asked to open a file.
    pub shows_documents: bool,
}

impl ClientAbilities {
    pub fn new(capabilities: &Value) -> Self {
        let is =
            |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool) == Some(true);
        Self {
            refreshes_hints: is("/workspace/inlayHint/refreshSupport"),
            refreshes_lenses: is("/workspace/codeLens/refreshSupport"),
            has_progress: is("/window/workDoneProgress"),
            shows_documents: is("/window/showDocument/support"),
        }
    }
}
