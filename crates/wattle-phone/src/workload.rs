//! The workload of an app on a simulated phone whose code cannot be executed.

use std::time::Duration;

/// Something that a thread of an app does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Runs a method of the app around a body. Where the package has a probe for it, the probe writes.
    Call {
        /// `com.example.Foo.bar`.
        method: String,
        /// Its steps.
        body: Vec<Step>,
    },
    /// Calls a method of the framework around a body, with the probe that the calling method has for it.
    Api {
        /// `java.net.Socket.connect`.
        method: String,
        /// Its steps.
        body: Vec<Step>,
    },
    /// Works on a CPU.
    Busy(Duration),
    /// Sleeps.
    Sleep(Duration),
    /// Moves bytes over Wi-Fi and waits for them.
    Network {
        /// Bytes received.
        rx: u64,
        /// Bytes sent.
        tx: u64,
    },
    /// Moves bytes from and to the flash storage and waits for them.
    Storage {
        /// Bytes read.
        read: u64,
        /// Bytes written.
        write: u64,
    },
    /// Writes a log line.
    Log {
        /// One of `VDIWEF`.
        level: char,
        /// Its tag.
        tag: String,
        /// The text.
        message: String,
    },
    /// Does something on another thread and goes on. A test ends when all its threads have.
    Thread {
        /// Its name.
        name: String,
        /// Its steps.
        steps: Vec<Step>,
    },
}

impl Step {
    /// A method around a body.
    pub fn call(method: &str, body: Vec<Self>) -> Self {
        Self::Call { method: method.to_owned(), body }
    }

    /// A framework's method around a body.
    pub fn api(method: &str, body: Vec<Self>) -> Self {
        Self::Api { method: method.to_owned(), body }
    }

    /// Milliseconds on a CPU.
    pub const fn busy(milliseconds: u64) -> Self {
        Self::Busy(Duration::from_millis(milliseconds))
    }

    /// Milliseconds of sleep.
    pub const fn sleep(milliseconds: u64) -> Self {
        Self::Sleep(Duration::from_millis(milliseconds))
    }
}

/// The work of an app from its launch on, where package code is not executed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaunchSpec {
    /// Its package.
    pub package: String,
    /// The build that does this (`versionCode`); `None` for every other build.
    pub version_code: Option<u64>,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl LaunchSpec {
    /// The work of a build of a package.
    pub fn new(package: &str, version_code: Option<u64>, steps: Vec<Step>) -> Self {
        Self { package: package.to_owned(), version_code, steps }
    }
}

/// The outcome of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TestOutcome {
    /// As it should.
    #[default]
    Passes,
    /// With a stack trace.
    Fails(String),
    /// It is marked with `@Ignore`.
    Ignored,
    /// An assumption does not hold; with its words.
    Assumes(String),
    /// The process dies of this exception.
    Crashes(String),
}

/// A test that `am instrument` finds where the package's code cannot be executed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TestSpec {
    /// Its class.
    pub class: String,
    /// Its method.
    pub method: String,
    /// Its steps. Empty: plausible ones, with methods of the package's probe map where it has one.
    pub steps: Vec<Step>,
    /// Its outcome.
    pub outcome: TestOutcome,
}

impl TestSpec {
    /// A test that passes and does something plausible.
    pub fn new(class: &str, method: &str) -> Self {
        Self {
            class: class.to_owned(),
            method: method.to_owned(),
            steps: Vec::new(),
            outcome: TestOutcome::Passes,
        }
    }

    /// The same with its own steps.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<Step>) -> Self {
        self.steps = steps;
        self
    }

    /// The same with another end.
    #[must_use]
    pub fn with_outcome(mut self, outcome: TestOutcome) -> Self {
        self.outcome = outcome;
        self
    }
}
