//! One connection of an adb server.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run_key::{RunKey, TOKEN, new_token};
use crate::core::Core;
use crate::service;
use crate::transport::{Command, LEAST_PAYLOAD, MOST_PAYLOAD, Packet, Sender, Stream, VERSION};

/// Most streams that a host may have open at once. adb has one a command.
const MOST_STREAMS: usize = 512;

/// Most tokens that a host gets. One for each of its keys.
const MOST_TOKENS: u32 = 64;
/// Kinds of `A_AUTH` (`ADB_AUTH_TOKEN`, `ADB_AUTH_SIGNATURE`).
const TOKEN_KIND: u32 = 1;
const SIGNATURE: u32 = 2;

/// The state of a host's proof of who it is.
#[derive(Debug, Default)]
struct Admission {
    /// The protocol's version, once it has greeted.
    version: Option<u32>,
    token: Option<[u8; TOKEN]>,
    tokens: u32,
    is_granted: bool,
}

/// An adb server and the streams that it has opened.
#[derive(Debug)]
struct Connection {
    core: Arc<Core>,
    sender: Arc<Sender>,
    /// A stream that the phone has closed stays until the next one is opened.
    streams: Mutex<BTreeMap<u32, Stream>>,
}

/// Serves one adb server until it, or the link, is gone.
pub(super) fn serve(core: &Arc<Core>, mut socket: TcpStream) {
    let Ok(writer) = socket.try_clone() else { return };
    let connection = Connection {
        core: Arc::clone(core),
        sender: Arc::new(Sender::new(core, writer)),
        streams: Mutex::default(),
    };
    // Whatever ended it, what runs for it must hear that nobody listens any more.
    let _ = connection.converse(&mut socket);
    let _ = socket.shutdown(Shutdown::Both);
    let streams = std::mem::take(&mut *connection.streams());
    for stream in streams.values() {
        stream.closed_by_host();
    }
}

impl Connection {
    fn streams(&self) -> MutexGuard<'_, BTreeMap<u32, Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An open stream by the phone's number.
    fn stream(&self, ours: u32) -> Option<Stream> {
        self.streams().get(&ours).filter(|stream| stream.is_open()).cloned()
    }

    fn converse(&self, socket: &mut TcpStream) -> io::Result<()> {
        let core = &self.core;
        let mut next = 0_u32;
        let mut admission = Admission::default();
        while let Some(packet) = Packet::read(socket)? {
            core.link.received(packet.payload.len() + 24)?;
            match packet.command {
                Command::CONNECT | Command::AUTHENTICATE => self.admit(&mut admission, &packet)?,
                // A host that has not proved who it is gets nothing.
                _ if !admission.is_granted => return Err(io::ErrorKind::InvalidData.into()),
                Command::OPEN => {
                    next = next.checked_add(1).ok_or(io::ErrorKind::InvalidData)?;
                    self.open(next, &packet)?;
                }
                Command::OKAY => {
                    if let Some(stream) = self.stream(packet.second) {
                        stream.acknowledge();
                    }
                }
                Command::WRITE => match self.stream(packet.second) {
                    Some(stream) if stream.theirs() == packet.first => {
                        let empty = packet.payload.is_empty();
                        if !stream.deliver(packet.payload) {
                            return Err(io::ErrorKind::InvalidData.into());
                        }
                        if empty {
                            self.reply(Command::OKAY, packet.second, packet.first)?;
                        }
                    }
                    _ => self.reply(Command::CLOSE, 0, packet.first)?,
                },
                Command::CLOSE => {
                    if let Some(stream) = self.streams().remove(&packet.second) {
                        stream.closed_by_host();
                    }
                }
                // What a later protocol may bring is passed over, as adbd does.
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes a greeting or a proof: `adbd` sends a token that the host has to sign with a key that it knows.
    fn admit(&self, admission: &mut Admission, packet: &Packet) -> io::Result<()> {
        if packet.command == Command::CONNECT {
            let most = packet.second.clamp(LEAST_PAYLOAD, MOST_PAYLOAD);
            self.sender.set_most_payload(most);
            admission.version = Some(packet.first.min(VERSION));
            admission.is_granted = false;
        }
        let Some(version) = admission.version else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        if packet.command == Command::AUTHENTICATE {
            match packet.first {
                SIGNATURE => {
                    let key = RunKey::get()?;
                    let token = admission.token.take();
                    admission.is_granted =
                        token.is_some_and(|token| key.has_signed(&token, &packet.payload));
                }
                // A public key to be accepted: on a phone somebody would be asked, and here nobody says yes.
                _ => return Ok(()),
            }
        }
        if admission.is_granted {
            let payload = self.core.banner().into_bytes();
            let command = Command::CONNECT;
            let hello = Packet { command, first: version, second: MOST_PAYLOAD, payload };
            return self.sender.send(&hello);
        }
        admission.tokens += 1;
        if admission.tokens > MOST_TOKENS {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let token = new_token()?;
        admission.token = Some(token);
        let command = Command::AUTHENTICATE;
        self.sender.send(&Packet { command, first: TOKEN_KIND, second: 0, payload: token.to_vec() })
    }

    fn reply(&self, command: Command, first: u32, second: u32) -> io::Result<()> {
        self.sender.send(&Packet { command, first, second, payload: Vec::new() })
    }

    fn open(&self, ours: u32, packet: &Packet) -> io::Result<()> {
        let theirs = packet.first;
        let name = packet.payload.split(|byte| *byte == 0).next().unwrap_or_default();
        let service = service::find(&self.core, &String::from_utf8_lossy(name));
        self.streams().retain(|_, stream| stream.is_open());
        let (Some(service), true) = (service, self.streams().len() < MOST_STREAMS) else {
            return self.reply(Command::CLOSE, 0, theirs);
        };
        let stream = Stream::new(ours, theirs, Arc::clone(&self.sender));
        self.streams().insert(ours, stream.clone());
        self.reply(Command::OKAY, ours, theirs)?;
        let core = Arc::clone(&self.core);
        let started = std::thread::Builder::new().name("phone-service".into()).spawn(move || {
            service.run(&core, &stream);
            stream.close();
        });
        if started.is_err() {
            self.streams().remove(&ours);
            return self.reply(Command::CLOSE, ours, theirs);
        }
        Ok(())
    }
}
