//! A call that is being answered: whether it was cancelled, and who wants to see its progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use crate::answer::ToolError;

/// A step of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobStep {
    /// The amount that is done.
    pub done: f64,
    /// The whole amount; `None` where it is not known.
    pub total: Option<f64>,
    /// The stage, in words.
    pub stage: String,
}

/// A call that is being answered. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct ToolJob {
    cancelled: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    steps: Option<UnboundedSender<JobStep>>,
}

impl ToolJob {
    /// A job whose steps are sent there.
    pub fn new(steps: Option<UnboundedSender<JobStep>>) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Asks it to end.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked it to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Says that it was answered.
    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Whether it was answered.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Goes on, or ends.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_cancelled() { Err(ToolError::cancelled()) } else { Ok(()) }
    }

    /// Reports a step to whoever wants to see it.
    pub fn step(&self, step: JobStep) {
        if let Some(steps) = &self.steps {
            // Nobody is left to see it.
            let _ = steps.send(step);
        }
    }
}
