//! Tasks in the scheduler's events.

/// A task as the scheduler's events name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comm {
    pub tid: u32,
    pub tgid: u32,
    pub name: String,
    pub priority: i32,
}
