//! One connection of an adb server.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::core::Core;
use crate::service;
use crate::transport::{Command, LEAST_PAYLOAD, MOST_PAYLOAD, Packet, Sender, Stream, VERSION};

/// Most streams that a host may have open at once. adb has one a command.
const MOST_STREAMS: usize = 512;

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
        let (core, sender) = (&self.core, &self.sender);
        let mut next = 0_u32;
        let mut greeted = false;
        while let Some(packet) = Packet::read(socket)? {
            core.link.received(packet.payload.len() + 24)?;
            match packet.command {
                Command::CONNECT => {
                    let most = packet.second.clamp(LEAST_PAYLOAD, MOST_PAYLOAD);
                    sender.set_most_payload(most);
                    let payload = core.banner().into_bytes();
                    let first = packet.first.min(VERSION);
                    let hello =
                        Packet { command: Command::CONNECT, first, second: MOST_PAYLOAD, payload };
                    sender.send(&hello)?;
                    greeted = true;
                }
                // A host that does not greet gets nothing.
                _ if !greeted => return Err(io::ErrorKind::InvalidData.into()),
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
