//! A person does something.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wattle_recording::Outcome;

use crate::Cancel;
use crate::scenario::{ScenarioEnd, ScenarioRun};

const LOOK: Duration = Duration::from_millis(50);

/// A person uses the device until they say that it is enough.
#[derive(Clone)]
pub struct Manual {
    ask: Arc<dyn Fn() -> Cancel + Send + Sync>,
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

    /// Until a line (Enter), or the end, of standard input, which a thread reads from each run's beginning.
    pub fn until_enter() -> Self {
        Self::asking(|| {
            let enough = Cancel::new();
            let signal = enough.clone();
            std::thread::spawn(move || {
                let mut line = String::new();
                // The end of the input and an error are as good as Enter: nobody is there to press it.
                let _ = std::io::stdin().read_line(&mut line);
                signal.cancel();
            });
            enough
        })
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        let enough = (self.ask)();
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
