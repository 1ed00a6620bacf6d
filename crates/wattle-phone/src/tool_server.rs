//! The phone's side of the socket.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crate::command;
use crate::core::Core;
use crate::tool::Call;

/// Most programs that wait for the phone at once.
const MOST_CALLS: usize = 256;

/// Programs that drive the app: what they use is not the recorder's.
const SCENARIOS: [&str; 3] = ["am", "monkey", "input"];

/// The socket for programs.
#[derive(Debug)]
pub(crate) struct Server {
    socket: PathBuf,
    core: Arc<Core>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(core: &Arc<Core>) -> io::Result<Self> {
        let socket = core.files.socket().to_owned();
        let listener = UnixListener::bind(&socket)?;
        let own = Arc::clone(core);
        let thread = std::thread::Builder::new()
            .name("phone-tools".into())
            .spawn(move || accept(&own, &listener))?;
        Ok(Self { socket, core: Arc::clone(core), thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.core.stop();
        // Wakes the thread that waits for calls.
        let _ = UnixStream::connect(&self.socket);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept(core: &Arc<Core>, listener: &UnixListener) {
    let open = Arc::new(AtomicUsize::new(0));
    for socket in listener.incoming() {
        if core.is_stopped() {
            return;
        }
        let Ok(socket) = socket else { continue };
        if open.load(Ordering::SeqCst) >= MOST_CALLS {
            continue;
        }
        open.fetch_add(1, Ordering::SeqCst);
        let (core, count) = (Arc::clone(core), Arc::clone(&open));
        let started = std::thread::Builder::new().name("phone-tool".into()).spawn(move || {
            // A program that is gone wants no answer.
            let _ = serve(&core, socket);
            count.fetch_sub(1, Ordering::SeqCst);
        });
        if started.is_err() {
            open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn serve(core: &Arc<Core>, socket: UnixStream) -> io::Result<()> {
    let (mut call, parent) = Call::accept(Arc::clone(core), socket)?;
    let name = call.name.trim_start_matches('@').to_owned();
    core.journal.adopt(core.clock.boot(), call.pid, parent, &name);
    if SCENARIOS.contains(&name.as_str()) {
        core.journal.set_recorder(call.pid, false);
    }
    let boot = core.boot_number();
    let answer = command::run(&mut call);
    // What ran when the phone restarted is gone without a word.
    if core.boot_number() != boot {
        return Ok(());
    }
    // A shell goes on in the same process.
    if !call.name.starts_with('@') {
        core.journal.end(core.clock.boot(), call.pid);
    }
    call.exit(answer.unwrap_or(1));
    Ok(())
}
