//! Messages in lines: each is answered, also where it is none.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most bytes of a message.
pub const MOST_MESSAGE: usize = 16 << 20;
/// Messages that wait for the server, and for the client.
const WAITING: usize = 32;
/// The time for the last answers of a client that does not read them.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Codes of JSON-RPC.
const NO_JSON: i32 = -32_700;
const NO_REQUEST: i32 = -32_600;

/// The messages of a client: a line of JSON each.
#[derive(Debug)]
pub struct LineMessages {
    incoming: Receiver<RxJsonRpcMessage<RoleServer>>,
    outgoing: Option<Sender<Vec<u8>>>,
}

/// The thread that writes; it ends when nobody can send any more.
#[derive(Debug)]
pub struct LineWriter {
    is_done: mpsc::Receiver<()>,
}

impl LineWriter {
    /// Waits until all is written, within bounds.
    pub fn finish(self) {
        // It ends by dropping its side: an error is the end, too.
        let _ = self.is_done.recv_timeout(LAST_WORDS);
    }
}

impl LineMessages {
    /// Reads and writes on threads of their own.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub fn start<R: BufRead + Send + 'static, W: Write + Send + 'static>(
        mut input: R,
        mut output: W,
    ) -> io::Result<(Self, LineWriter)> {
        let (to_client, mut from_server) = channel::<Vec<u8>>(WAITING);
        let (to_server, incoming) = channel(WAITING);
        let (done, is_done) = mpsc::channel::<()>();
        thread::Builder::new().name("mcp writer".to_owned()).spawn(move || {
            let _done = done;
            while let Some(line) = from_server.blocking_recv() {
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        })?;
        // What is read last does not keep the writer.
        let answers = to_client.downgrade();
        thread::Builder::new().name("mcp reader".to_owned()).spawn(move || {
            let mut line = Vec::new();
            loop {
                let read = match next_line(&mut input, &mut line) {
                    Ok(Some(true)) => message(&line),
                    Ok(Some(false)) => Err(Some(error(
                        NO_REQUEST,
                        &format!("expected a message of at most {MOST_MESSAGE} bytes, found more"),
                        &Value::Null,
                    ))),
                    Ok(None) | Err(_) => return,
                };
                match read {
                    Ok(message) => {
                        if to_server.blocking_send(message).is_err() {
                            return;
                        }
                    }
                    Err(Some(answer)) => {
                        let Some(answers) = answers.upgrade() else { return };
                        if answers.blocking_send(answer).is_err() {
                            return;
                        }
                    }
                    Err(None) => {}
                }
            }
        })?;
        Ok((Self { incoming, outgoing: Some(to_client) }, LineWriter { is_done }))
    }
}

impl Transport<RoleServer> for LineMessages {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            outgoing.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outgoing = None;
        Ok(())
    }
}

/// Reads a line: whether it is whole; `None` at the end. Of one that is too long nothing is kept.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    line.shrink_to(1 << 20);
    let read = input.by_ref().take(MOST_MESSAGE as u64 + 1).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") || line.len() <= MOST_MESSAGE {
        return Ok(Some(true));
    }
    loop {
        line.clear();
        let read = input.by_ref().take(1 << 20).read_until(b'\n', line)?;
        if read == 0 || line.ends_with(b"\n") {
            return Ok(Some(false));
        }
    }
}

/// The message of a line; what is to be answered where it is none. Empty lines, and notifications that nobody knows, are not answered.
fn message(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<Vec<u8>>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Err(None);
    }
    let value: Value = serde_json::from_slice(line).map_err(|problem| {
        Some(error(NO_JSON, &format!("expected a line of JSON: {problem}"), &Value::Null))
    })?;
    let id = value.get("id").cloned();
    let is_note = id.is_none() && value.get("method").is_some_and(Value::is_string);
    serde_json::from_value(value).map_err(|_| {
        let id = id.filter(|id| id.is_string() || id.is_i64() || id.is_u64()).unwrap_or_default();
        let text = "expected a request, a notification or an answer of JSON-RPC 2.0";
        (!is_note).then(|| error(NO_REQUEST, text, &id))
    })
}

fn error(code: i32, text: &str, id: &Value) -> Vec<u8> {
    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } });
    let mut line = answer.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn code(line: &[u8]) -> Option<i64> {
        let answer = message(line).err()?;
        let answer: Value = serde_json::from_slice(&answer?).expect("JSON");
        answer["error"]["code"].as_i64()
    }

    #[test]
    fn what_is_no_message_is_answered() {
        assert!(message(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).is_ok());
        assert!(
            message(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n").is_ok()
        );
        assert_eq!(code(b"{"), Some(-32_700));
        assert_eq!(code(br#"{"jsonrpc":"2.0","id":1,"method":"\ud83d"}"#), Some(-32_700));
        assert_eq!(code("[".repeat(100_000).as_bytes()), Some(-32_700));
        assert_eq!(code(b"[]"), Some(-32_600));
        assert_eq!(code(br#"{"jsonrpc":"2.0","id":{},"method":7}"#), Some(-32_600));
        assert_eq!(code(b"\r\n"), None);
    }

    #[test]
    fn long_lines_are_left_out_and_the_next_is_read() {
        let mut input = vec![b'x'; MOST_MESSAGE + 5];
        input.extend(b"\nnext\n");
        let mut input = Cursor::new(input);
        let mut line = Vec::new();
        assert!(matches!(next_line(&mut input, &mut line), Ok(Some(false))));
        assert!(matches!(next_line(&mut input, &mut line), Ok(Some(true))));
        assert_eq!(line, b"next\n");
        assert!(matches!(next_line(&mut input, &mut line), Ok(None)));
    }
}
