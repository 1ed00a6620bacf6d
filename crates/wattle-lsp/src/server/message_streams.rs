//! Messages over streams, within bounds: a length in a header is what anybody claims. What is no message is answered, and the next one
//! read.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crossbeam_channel::bounded;
use lsp_server::{Connection, Message};

use super::direct_answers::{DirectAnswers, write_body};

/// The most bytes of a message: some files of a million lines.
const MOST_MESSAGE: usize = 64 << 20;
/// The most bytes of the header of a message.
const MOST_HEADER: usize = 8 << 10;

/// The threads that read and write messages.
#[derive(Debug)]
pub struct MessageStreams {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl MessageStreams {
    /// A connection over two streams, and the way of long answers.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub fn connect<R: BufRead + Send + 'static, W: Write + Send + 'static>(
        mut input: R,
        output: W,
    ) -> io::Result<(Connection, DirectAnswers, Self)> {
        let (to_client, from_server) = bounded::<Message>(0);
        let (to_server, from_client) = bounded::<Message>(0);
        let output = Arc::new(Mutex::new(output));
        let answers = Arc::clone(&output);
        let direct = DirectAnswers::new(output.clone());
        let writer = thread::Builder::new().name("lsp writer".to_owned()).spawn(move || {
            from_server.into_iter().try_for_each(|it| {
                it.write(&mut *output.lock().unwrap_or_else(PoisonError::into_inner))
            })
        })?;
        let reader = thread::Builder::new().name("lsp reader".to_owned()).spawn(move || {
            while let Some(found) = read(&mut input)? {
                let message = match found {
                    Ok(message) => message,
                    Err(problem) => {
                        let mut output = answers.lock().unwrap_or_else(PoisonError::into_inner);
                        problem.answer(&mut *output)?;
                        continue;
                    }
                };
                let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
                // The server has ended: what comes now is for nobody.
                if to_server.send(message).is_err() || is_exit {
                    break;
                }
            }
            Ok(())
        })?;
        let connection = Connection { sender: to_client, receiver: from_client };
        Ok((connection, direct, Self { reader, writer }))
    }

    /// Waits for the writer, and gives the problem of the reader if that has ended. One that waits for a client that is still there does not
    /// hold the program up.
    ///
    /// # Errors
    /// If messages could not be read or written.
    pub fn join(self) -> io::Result<()> {
        let gone = || io::Error::other("a thread of messages ended early");
        self.writer.join().map_err(|_| gone())??;
        if self.reader.is_finished() {
            self.reader.join().map_err(|_| gone())??;
        }
        Ok(())
    }
}

/// Bytes that are no message.
#[derive(Debug)]
struct NoMessage {
    /// The code of JSON-RPC.
    code: i32,
    text: String,
}

impl NoMessage {
    /// The reason why the body of a message is none; messages are anything else.
    fn of(body: &[u8]) -> Self {
        match serde_json::from_slice::<serde_json::Value>(body) {
            Err(error) => Self { code: -32_700, text: format!("expected JSON: {error}") },
            Ok(_) => Self {
                code: -32_600,
                text: "expected a request, a notification or an answer of JSON-RPC 2.0".to_owned(),
            },
        }
    }

    /// Answers it: nobody knows its number.
    fn answer(&self, output: &mut impl Write) -> io::Result<()> {
        let error = serde_json::json!({ "code": self.code, "message": self.text });
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        write_body(output, body.as_bytes())
    }
}

/// The next message, or what came instead of one; `None` at the end of the stream.
fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Message, NoMessage>>> {
    let mut header = Vec::new();
    let mut length = None;
    loop {
        let from = header.len();
        let room = (MOST_HEADER - from) as u64;
        input.by_ref().take(room).read_until(b'\n', &mut header)?;
        let line = header.get(from..).unwrap_or_default();
        if line.is_empty() && from == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            return Err(invalid(&format!(
                "a header of at most {MOST_HEADER} bytes, found more, or its end"
            )));
        }
        let line = String::from_utf8_lossy(line).trim().to_owned();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            let number = value.trim().parse::<usize>().ok().filter(|it| *it <= MOST_MESSAGE);
            let expected = || {
                invalid(&format!(
                    "a Content-Length from 0 to {MOST_MESSAGE}, found {}",
                    value.trim()
                ))
            };
            length = Some(number.ok_or_else(expected)?);
        }
    }
    let length = length.ok_or_else(|| invalid("a Content-Length before each message"))?;
    // It grows with what comes, not with what was claimed.
    let mut body = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(invalid(&format!(
            "a message of {length} bytes, found its end after {}",
            body.len()
        )));
    }
    Ok(Some(serde_json::from_slice(&body).map_err(|_| NoMessage::of(&body))))
}

fn invalid(expected: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("standard input: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn check(bytes: &[u8], expected: Result<Option<&str>, &str>) {
        let found = read(&mut Cursor::new(bytes.to_vec()));
        match (found, expected) {
            (Ok(None), Ok(None)) => {}
            (Ok(Some(Ok(Message::Notification(it)))), Ok(Some(method))) => {
                assert_eq!(it.method, method);
            }
            (Ok(Some(Err(NoMessage { code, .. }))), Err(text)) => {
                assert_eq!(code.to_string(), text);
            }
            (Err(error), Err(text)) => assert!(error.to_string().contains(text), "{error}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn what_a_header_claims_is_bounded() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let message = format!("Content-Type: x\r\ncontent-length: {}\r\n\r\n{exit}", exit.len());
        check(message.as_bytes(), Ok(Some("exit")));
        check(b"", Ok(None));
        for length in
            ["18446744073709551615", "1099511627776", "99999999999999999999999", "-1", "x"]
        {
            let claimed = format!("Content-Length: {length}\r\n\r\n{{}}");
            check(claimed.as_bytes(), Err("a Content-Length from 0 to"));
        }
        check(b"Content-Length: 3000000\r\n\r\n{}", Err("found its end after 2"));
        check(b"X: y\r\n\r\n{}", Err("before each message"));
        check(&vec![b'a'; 100_000], Err("a header of at most"));
        check(b"Content-Length: 1\r\n\r\n{", Err("-32700"));
        check(b"Content-Length: 2\r\n\r\n[]", Err("-32600"));
        check(b"Content-Length: 10\r\n\r\n{\"\\ud83d\":", Err("-32700"));
    }

    #[test]
    fn what_is_no_message_is_answered_and_the_next_is_read() {
        #[derive(Clone, Default)]
        struct Shared(Arc<Mutex<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("bytes").write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let surrogate = r#"{"jsonrpc":"2.0","method":"a","params":"\ud83d"}"#;
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let input = Cursor::new(format!("{}{}", frame(surrogate), frame(exit)).into_bytes());
        let output = Shared::default();
        let (connection, direct, streams) =
            MessageStreams::connect(input, output.clone()).expect("threads");
        direct.answer(&7.into(), &["a long one"]);
        let next = connection.receiver.recv().expect("the message behind it");
        assert!(matches!(next, Message::Notification(it) if it.method == "exit"));
        drop(connection);
        streams.join().expect("no failure");
        let written = String::from_utf8(output.0.lock().expect("bytes").clone()).expect("text");
        let long = r#"{"jsonrpc":"2.0","id":7,"result":["a long one"]}"#;
        assert!(written.contains(&frame(long)), "{written}");
        assert!(written.contains("-32700") && written.contains(r#""id":null"#), "{written}");
    }
}
