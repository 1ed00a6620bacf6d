//! What the tests of a simulated app do.

/// A test that `am instrument` finds where the package's code cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestSpec {
    /// Its class.
    pub class: String,
    /// Its method.
    pub method: String,
}

impl TestSpec {
    /// A test that passes.
    pub fn new(class: &str, method: &str) -> Self {
        Self { class: class.to_owned(), method: method.to_owned() }
    }
}
