//! An adb server that follows a script: what each connection must ask, and what it is answered.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use wattle_device::adb::{AdbDevice, AdbOptions, AdbServer, Environment, Limits, ServerAddress};
use wattle_device::{Cancel, DeviceError};

/// The device of the scripts.
pub const SERIAL: &str = "S1";

/// Next step of a connection.
#[derive(Clone, Debug)]
pub enum Step {
    /// Must be asked exactly this.
    Expect(Vec<u8>),
    /// Must be sent so many bytes of whatever.
    Swallow(usize),
    /// Must be sent a request, whatever it asks.
    AnyRequest,
    /// Must be sent a request with this start that holds this.
    RequestWith(String, String),
    /// Answers.
    Send(Vec<u8>),
    /// Must be told to run this command without the shell protocol; writes this, and its status if it has one.
    PlainShell { command: String, output: Vec<u8>, end: String },
    /// Neither reads nor answers, for longer than a client has patience.
    Stuck,
    /// Says nothing more until the client goes away.
    Silence,
}

/// One connection from beginning to end; then it is closed.
pub type Talk = Vec<Step>;

pub fn expect(bytes: impl AsRef<[u8]>) -> Step {
    Step::Expect(bytes.as_ref().to_vec())
}

pub fn send(bytes: impl AsRef<[u8]>) -> Step {
    Step::Send(bytes.as_ref().to_vec())
}

/// A request with its length before it.
pub fn request(text: &str) -> Step {
    expect(format!("{:04x}{text}", text.len()))
}

pub fn okay() -> Step {
    send("OKAY")
}

/// A text with its length before it.
pub fn string(text: &str) -> Vec<u8> {
    format!("{:04x}{text}", text.len()).into_bytes()
}

pub fn fail(text: &str) -> Step {
    send([b"FAIL".as_slice(), &string(text)].concat())
}

/// A question of one answer.
pub fn question(text: &str, answer: &str) -> Talk {
    vec![request(text), okay(), send(string(answer))]
}

/// A connection that is handed over to the device, and its service.
pub fn service(name: &str, steps: impl IntoIterator<Item = Step>) -> Talk {
    let mut talk = vec![request(&format!("host:transport:{SERIAL}")), okay()];
    talk.extend([request(name), okay()]);
    talk.extend(steps);
    talk
}

/// A running script.
pub struct Script {
    pub port: u16,
    /// Whether the client is left waiting somewhere.
    has_silence: bool,
    thread: JoinHandle<()>,
}

impl Script {
    /// Plays the talks one after another.
    pub fn play(talks: Vec<Talk>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let is_silence = |step: &Step| matches!(step, Step::Silence | Step::Stuck);
        let has_silence = talks.iter().flatten().any(is_silence);
        let thread = std::thread::spawn(move || {
            for talk in talks {
                let (socket, _) = listener.accept().expect("a client");
                follow(socket, talk);
            }
        });
        Self { port, has_silence, thread }
    }

    /// The server as this client finds it; the first talk must be about its version.
    pub fn find(&self, cancel: &Cancel) -> Result<AdbServer, DeviceError> {
        AdbServer::find(&self.options(), &Environment::default(), cancel)
    }

    pub fn options(&self) -> AdbOptions {
        let mut options = AdbOptions::default();
        options.address = Some(ServerAddress::new("127.0.0.1", self.port));
        options.limits = limits(self.has_silence);
        options
    }

    /// Every talk was had as it is written.
    #[track_caller]
    pub fn finish(self) {
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Long enough for the busiest machine, unless the wait is what is tested.
pub fn limits(is_silent: bool) -> Limits {
    let limit = if is_silent { Duration::from_millis(500) } else { Duration::from_secs(20) };
    let mut limits = Limits::default();
    (limits.answer, limits.file, limits.install, limits.pair) = (limit, limit, limit, limit);
    limits
}

fn read_request(socket: &mut TcpStream) -> String {
    let mut length = [0; 4];
    socket.read_exact(&mut length).expect("a length");
    let length = str::from_utf8(&length).expect("digits");
    let mut text = vec![0; usize::from_str_radix(length, 16).expect("a length")];
    socket.read_exact(&mut text).expect("a request");
    String::from_utf8(text).expect("UTF-8")
}

fn follow(mut socket: TcpStream, talk: Talk) {
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    for step in talk {
        match step {
            Step::Expect(bytes) => {
                let mut asked = vec![0; bytes.len()];
                let mut filled = 0;
                while let Some(rest) = asked.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                    match socket.read(rest) {
                        Ok(count) if count > 0 => filled += count,
                        other => panic!(
                            "expected {}, got {} and then {other:?}",
                            bytes.escape_ascii(),
                            asked.get(..filled).unwrap_or_default().escape_ascii()
                        ),
                    }
                }
                assert!(
                    asked == bytes,
                    "expected {}, got {}",
                    bytes.escape_ascii(),
                    asked.escape_ascii()
                );
            }
            Step::Swallow(count) => {
                let mut bytes = vec![0; count];
                socket.read_exact(&mut bytes).expect("bytes");
            }
            Step::RequestWith(start, part) => {
                let text = read_request(&mut socket);
                assert!(text.starts_with(&start) && text.contains(&part), "{text}");
            }
            Step::AnyRequest => drop(read_request(&mut socket)),
            Step::PlainShell { command, output, end } => {
                let script = read_request(&mut socket);
                let inner = format!("shell:(\n{command}\n)\necho \"");
                let rest = script.strip_prefix(&inner);
                let marker = rest.and_then(|rest| rest.strip_suffix("$?\""));
                let marker =
                    marker.unwrap_or_else(|| panic!("{command} is not what {script} runs"));
                let told = [&output, end.replace("$marker", marker).as_bytes()].concat();
                drop(socket.write_all(&[b"OKAY".as_slice(), &told].concat()));
            }
            Step::Stuck => std::thread::sleep(Duration::from_secs(2)),
            // The client may have heard enough.
            Step::Send(bytes) => drop(socket.write_all(&bytes)),
            Step::Silence => drop(std::io::copy(&mut socket, &mut std::io::sink())),
        }
    }
    // What is still unread would make the system throw away what was sent.
    let _ = socket.shutdown(std::net::Shutdown::Write);
    let _ = std::io::copy(&mut socket, &mut std::io::sink());
}

/// A device that announces these features, and the script of what is done with it.
pub fn device(features: &str, talks: Vec<Talk>) -> (AdbDevice, Script, Cancel) {
    let mut all = vec![
        question("host:version", "0029"),
        question(&format!("host-serial:{SERIAL}:features"), features),
    ];
    all.extend(talks);
    let script = Script::play(all);
    let cancel = Cancel::new();
    let device = script.find(&cancel).and_then(|server| server.device(SERIAL)).expect("a device");
    (device, script, cancel)
}

/// The kind of an error in one word, so that expectations are data.
pub fn kind(error: &DeviceError) -> &'static str {
    match error {
        DeviceError::Cancelled => "cancelled",
        DeviceError::TimedOut { .. } => "timed out",
        DeviceError::Disconnected { .. } => "disconnected",
        DeviceError::Refused { .. } => "refused",
        DeviceError::Garbled { .. } => "garbled",
        DeviceError::TooLong { .. } => "too long",
        DeviceError::NotReady { .. } => "not ready",
        DeviceError::NotInstalled { .. } => "not installed",
        DeviceError::Unsupported { .. } => "unsupported",
        DeviceError::Console { .. } => "console",
        DeviceError::ServerUnreachable { .. } => "unreachable",
        DeviceError::File { .. } => "file",
        _ => "another",
    }
}

/// Returns the outcome as text, so that expectations are data: the kind of the error, or `well`.
pub fn outcome<T>(result: &Result<T, DeviceError>) -> &'static str {
    result.as_ref().map_or_else(kind, |_| "well")
}

/// Plays talks to a device with these features, and does something with it.
#[track_caller]
pub fn check<T: std::fmt::Debug>(
    features: &str,
    talks: Vec<Talk>,
    doing: impl FnOnce(&AdbDevice) -> Result<T, DeviceError>,
    expected: &str,
    says: &[&str],
) -> Result<T, DeviceError> {
    let (device, script, _) = device(features, talks);
    let result = doing(&device);
    script.finish();
    assert_eq!(outcome(&result), expected, "{result:?}");
    if let Err(error) = &result {
        for part in says {
            assert!(error.to_string().contains(part), "{error} does not say {part}");
        }
    }
    result
}

/// A packet of the shell protocol.
pub fn packet(id: u8, bytes: &[u8]) -> Vec<u8> {
    [&[id], (bytes.len() as u32).to_le_bytes().as_slice(), bytes].concat()
}

/// A frame of the sync protocol.
pub fn frame(id: &str, number: u32) -> Vec<u8> {
    [id.as_bytes(), &number.to_le_bytes()].concat()
}

/// A frame with bytes of the announced length behind it.
pub fn framed(id: &str, bytes: &[u8]) -> Vec<u8> {
    [frame(id, bytes.len() as u32).as_slice(), bytes].concat()
}
