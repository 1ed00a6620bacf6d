//! A person does something.

use std::fmt;
use std::io::{BufRead, Read as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wattle_recording::Outcome;

use crate::Cancel;
use crate::scenario::{ScenarioEnd, ScenarioRun};

const LOOK: Duration = Duration::from_millis(50);
/// Bytes of a line that are read at once.
const LONGEST: u64 = 64 << 10;

/// A person uses the device until they say that it is enough.
#[derive(Clone)]
pub struct Manual {
    ask: Arc<dyn Fn() -> Cancel + Send + Sync>,
}

/// The lines of standard input.
#[derive(Debug, Default)]
struct Typed {
    /// Who waits for the next line.
    waiting: Mutex<Vec<Cancel>>,
    is_over: Cancel,
}

impl Typed {
    fn read(&self, input: impl BufRead) {
        let mut input = input;
        let mut line = Vec::new();
        // An error is as good as the end: nobody is there to press Enter.
        while let Ok(1..) = (&mut input).take(LONGEST).read_until(b'\n', &mut line) {
            line.clear();
            self.wake();
        }
        self.is_over.cancel();
        self.wake();
    }

    fn wake(&self) {
        for signal in self.waiting().drain(..) {
            signal.cancel();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Cancel>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The signal that the next line gives.
    fn next_line(&self) -> Cancel {
        let signal = Cancel::new();
        self.waiting().push(signal.clone());
        if self.is_over.is_cancelled() {
            self.wake();
        }
        signal
    }
}

impl fmt::Debug for Manual {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Manual")
    }
}

impl Manual {
    /// Asks at the beginning of each run, and ends it when the signal that this gave is given.
    pub fn asking(ask: impl Fn() -> Cancel + Send + Sync + 'static) -> Self {
        Self { ask: Arc::new(ask) }
    }

    /// Until the signal is given.
    pub fn until(enough: Cancel) -> Self {
        Self::asking(move || enough.clone())
    }

    /// Until a line (Enter), or the end, of standard input. Lines that came before the run began do not count.
    pub fn until_enter() -> Self {
        let typed = Arc::new(Typed::default());
        let all = Arc::clone(&typed);
        std::thread::spawn(move || all.read(std::io::stdin().lock()));
        Self::asking(move || typed.next_line())
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        let enough = (self.ask)();
        if enough.is_cancelled() {
            let what = "standard input is at its end: nobody can press Enter; use --duration for a fixed time";
            return ScenarioEnd::because(Outcome::Failed, what);
        }
        run.progress.note("recording; press Enter to stop");
        let began = Instant::now();
        while !enough.is_cancelled() {
            if began.elapsed() >= run.limit {
                let what = format!("ended after {} s", run.limit.as_secs_f64());
                return ScenarioEnd::because(Outcome::Passed, what);
            }
            if let Err(error) = run.cancel.sleep(LOOK) {
                return ScenarioEnd::broken(error);
            }
        }
        ScenarioEnd::from_outcome(Outcome::Passed)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write as _};
    use std::time::{Duration, Instant};

    use super::Typed;

    #[test]
    fn only_a_line_typed_while_recording_runs_ends_it() {
        let (input, mut keys) = std::io::pipe().expect("a pipe");
        let typed = std::sync::Arc::new(Typed::default());
        let all = std::sync::Arc::clone(&typed);
        let reading = std::thread::spawn(move || all.read(BufReader::new(input)));
        keys.write_all(b"impatient\n\n").expect("typed");
        // Until it has been read: typed before the run.
        std::thread::sleep(Duration::from_millis(200));
        let first = typed.next_line();
        std::thread::sleep(Duration::from_millis(50));
        assert!(!first.is_cancelled());
        keys.write_all(b"\n").expect("typed");
        wait(&first);
        let second = typed.next_line();
        assert!(!second.is_cancelled());
        drop(keys);
        wait(&second);
        reading.join().expect("it ended");
        // Nobody can press Enter any more.
        assert!(typed.next_line().is_cancelled());
    }

    #[track_caller]
    fn wait(signal: &crate::Cancel) {
        let end = Instant::now() + Duration::from_secs(10);
        while !signal.is_cancelled() {
            assert!(Instant::now() < end, "Enter was not noticed");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
