//! Answers of thousands of parts, written as text at once: as values of JSON each part would be a tree of its own first.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use lsp_server::RequestId;
use serde::Serialize;

/// The way of such answers to the client, beside that of messages: one at a time is written, whole.
#[derive(Clone)]
pub struct DirectAnswers(Arc<Mutex<dyn Write + Send>>);

/// An answer of JSON-RPC that has a result.
#[derive(Serialize)]
struct Answer<'a, R> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a R,
}

impl DirectAnswers {
    /// To the stream that messages are written to.
    pub(super) fn new(output: Arc<Mutex<dyn Write + Send>>) -> Self {
        Self(output)
    }

    /// Answers a request. A client that is gone is noticed by whoever reads its messages.
    pub(super) fn answer(&self, id: &RequestId, result: &impl Serialize) {
        let Ok(body) = serde_json::to_vec(&Answer { jsonrpc: "2.0", id, result }) else { return };
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = write_body(&mut *output, &body);
    }
}

/// Writes the body of a message with its header.
pub(super) fn write_body(output: &mut (impl Write + ?Sized), body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

impl fmt::Debug for DirectAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DirectAnswers")
    }
}
