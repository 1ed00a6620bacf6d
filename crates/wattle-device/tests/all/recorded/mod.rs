//! A device that a test scripts, and what a session needs besides.

mod environment;
mod fault;
mod phone;
mod stream;
mod two_tests;

pub use environment::TestEnvironment;
pub use fault::Fault;
pub use phone::Phone;
pub use two_tests::TWO_TESTS;

use wattle_device::scenario::{InstrumentScenario, Scenario, TestFilter, TestPackage};
use wattle_device::session::Build;
use wattle_recording::AppFacts;

/// The app under test with its tests, which are installed already.
pub fn build(label: &str) -> Build {
    let tests = TestPackage {
        package: "com.foo.test".into(),
        runner: "androidx.test.runner.AndroidJUnitRunner".into(),
        target: "com.foo".into(),
    };
    Build {
        app: Some(AppFacts {
            package: "com.foo".into(),
            label: Some(label.into()),
            ..AppFacts::default()
        }),
        packages: Vec::new(),
        scenario: Scenario::Instrument(InstrumentScenario {
            tests,
            filter: TestFilter::ALL,
            arguments: Vec::new(),
        }),
    }
}
