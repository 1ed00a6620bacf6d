//! The thread that keeps the made-up files fresh.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Change, content, files, write};
use crate::core::Core;
use crate::shell_usage::Usage;

/// Time between two writings of what changes always.
const ALWAYS: Duration = Duration::from_millis(2);
/// The same of what changes often.
const OFTEN: Duration = Duration::from_millis(20);
/// The pause while no command runs.
const IDLE: Duration = Duration::from_millis(10);

/// The thread.
#[derive(Debug)]
pub(crate) struct Refresher {
    core: Arc<Core>,
    thread: Option<JoinHandle<()>>,
}

impl Refresher {
    pub(crate) fn start(core: &Arc<Core>) -> std::io::Result<Self> {
        for file in files(core) {
            write(core, &file.path);
        }
        let own = Arc::clone(core);
        let thread =
            std::thread::Builder::new().name("phone-kernel".into()).spawn(move || run(&own))?;
        Ok(Self { core: Arc::clone(core), thread: Some(thread) })
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        self.core.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(core: &Core) {
    let often: Vec<String> = files(core)
        .into_iter()
        .filter(|file| file.change == Change::Often)
        .map(|file| file.path)
        .collect();
    let mut usage = Usage::default();
    let mut last = Instant::now();
    let mut uptime = std::fs::File::create(core.files.on_host("/proc/uptime")).ok();
    while !core.is_stopped() {
        if !core.is_commanded() {
            usage.look(core);
            std::thread::sleep(IDLE);
            continue;
        }
        // Written in place: the length stays, so a reader sees the old or the new numbers.
        if let (Some(file), Some(bytes)) = (&mut uptime, content(core, "/proc/uptime")) {
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&bytes));
        }
        if last.elapsed() >= OFTEN {
            last = Instant::now();
            for path in &often {
                write(core, path);
            }
            usage.look(core);
        }
        std::thread::sleep(ALWAYS);
    }
}
