//! One connection of an adb server.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packet::{Command, LEAST_PAYLOAD, MOST_PAYLOAD, Packet, VERSION};
use super::stream::Stream;
use crate::core::Core;
use crate::service;

/// Most streams that a host may have open at once. adb has one a command.
const MOST_STREAMS: usize = 512;

/// The way out, shared by all streams of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    socket: Mutex<TcpStream>,
    most_payload: AtomicU32,
    streams: Mutex<BTreeMap<u32, Stream>>,
    core: Arc<Core>,
}

impl Sender {
    pub(super) fn most_payload(&self) -> usize {
        self.most_payload.load(Ordering::SeqCst) as usize
    }

    pub(super) fn send(&self, packet: &Packet) -> io::Result<()> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        self.core.link.send(&mut socket, &packet.encode())
    }

    fn streams(&self) -> MutexGuard<'_, BTreeMap<u32, Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget(&self, stream: u32) {
        self.streams().remove(&stream);
    }

    fn stream(&self, ours: u32) -> Option<Stream> {
        self.streams().get(&ours).cloned()
    }
}

/// Serves one adb server until it, or the link, is gone.
pub(super) fn serve(core: &Arc<Core>, mut socket: TcpStream) {
    let Ok(writer) = socket.try_clone() else { return };
    let sender = Arc::new(Sender {
        socket: Mutex::new(writer),
        most_payload: AtomicU32::new(LEAST_PAYLOAD),
        streams: Mutex::default(),
        core: Arc::clone(core),
    });
    // Whatever ended it, what runs for it must hear that nobody listens any more.
    let _ = converse(core, &sender, &mut socket);
    let _ = socket.shutdown(Shutdown::Both);
    let streams = std::mem::take(&mut *sender.streams());
    for stream in streams.values() {
        stream.closed_by_host();
    }
}

fn converse(core: &Arc<Core>, sender: &Arc<Sender>, socket: &mut TcpStream) -> io::Result<()> {
    let mut next = 0_u32;
    let mut greeted = false;
    while let Some(packet) = Packet::read(socket)? {
        core.link.received(packet.payload.len() + 24)?;
        match packet.command {
            Command::CONNECT => {
                let most = packet.second.clamp(LEAST_PAYLOAD, MOST_PAYLOAD);
                sender.most_payload.store(most, Ordering::SeqCst);
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
                open(core, sender, next, &packet)?;
            }
            Command::OKAY => {
                if let Some(stream) = sender.stream(packet.second) {
                    stream.acknowledge();
                }
            }
            Command::WRITE => match sender.stream(packet.second) {
                Some(stream) if stream.theirs() == packet.first => {
                    let empty = packet.payload.is_empty();
                    if !stream.deliver(packet.payload) {
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                    if empty {
                        answer(sender, Command::OKAY, packet.second, packet.first)?;
                    }
                }
                _ => answer(sender, Command::CLOSE, 0, packet.first)?,
            },
            Command::CLOSE => {
                if let Some(stream) = sender.streams().remove(&packet.second) {
                    stream.closed_by_host();
                }
            }
            // What a later protocol may bring is passed over, as adbd does.
            _ => {}
        }
    }
    Ok(())
}

fn answer(sender: &Sender, command: Command, first: u32, second: u32) -> io::Result<()> {
    sender.send(&Packet { command, first, second, payload: Vec::new() })
}

fn open(core: &Arc<Core>, sender: &Arc<Sender>, ours: u32, packet: &Packet) -> io::Result<()> {
    let theirs = packet.first;
    let name = packet.payload.split(|byte| *byte == 0).next().unwrap_or_default();
    let service = service::find(core, &String::from_utf8_lossy(name));
    let (Some(service), true) = (service, sender.streams().len() < MOST_STREAMS) else {
        return answer(sender, Command::CLOSE, 0, theirs);
    };
    let stream = Stream::new(ours, theirs, Arc::clone(sender));
    sender.streams().insert(ours, stream.clone());
    answer(sender, Command::OKAY, ours, theirs)?;
    let core = Arc::clone(core);
    let started = std::thread::Builder::new().name("phone-service".into()).spawn(move || {
        service.run(&core, &stream);
        stream.close();
    });
    if started.is_err() {
        sender.forget(ours);
        return answer(sender, Command::CLOSE, ours, theirs);
    }
    Ok(())
}
