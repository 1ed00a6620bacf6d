//! The way from the server to its client.

use crossbeam_channel::Sender;
use lsp_server::{Message, RequestId};
use serde::Serialize;

use super::direct_answers::DirectAnswers;

/// Sends messages, and answers of many parts beside them. A client that is gone is noticed by whoever reads its messages.
#[derive(Clone, Debug)]
pub(super) struct ClientLink {
    messages: Sender<Message>,
    direct: DirectAnswers,
}

impl ClientLink {
    pub fn new(messages: Sender<Message>, direct: DirectAnswers) -> Self {
        Self { messages, direct }
    }

    pub fn send(&self, message: impl Into<Message>) {
        let _ = self.messages.send(message.into());
    }

    /// Answers a request with what is written as text at once.
    pub fn answer(&self, id: &RequestId, result: &impl Serialize) {
        self.direct.answer(id, result);
    }
}
