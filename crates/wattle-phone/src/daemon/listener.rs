//! The listener for adb servers.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use super::connection;
use crate::core::Core;

/// Most connections at once. An adb server has one.
const MOST_CONNECTIONS: usize = 32;

/// A port of this machine that behaves like adbd's 5555.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
    core: Arc<Core>,
}

impl Listener {
    /// Listens on a free port of the loopback interface, or on the given one.
    pub(crate) fn start(core: &Arc<Core>, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let own = Arc::clone(core);
        let thread = std::thread::Builder::new()
            .name("phone-listener".into())
            .spawn(move || accept(&own, &listener))?;
        Ok(Self { address, thread: Some(thread), core: Arc::clone(core) })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.core.stop();
        self.core.link.break_now(None);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept(core: &Arc<Core>, listener: &TcpListener) {
    let open = Arc::new(AtomicUsize::new(0));
    for socket in listener.incoming() {
        if core.is_stopped() {
            return;
        }
        let Ok(socket) = socket else { continue };
        if !core.link.admit(&socket) || open.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
            continue;
        }
        let _ = socket.set_nodelay(true);
        open.fetch_add(1, Ordering::SeqCst);
        let (core, count) = (Arc::clone(core), Arc::clone(&open));
        let started =
            std::thread::Builder::new().name("phone-connection".into()).spawn(move || {
                connection::serve(&core, socket);
                count.fetch_sub(1, Ordering::SeqCst);
            });
        if started.is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
