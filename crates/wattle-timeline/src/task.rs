//! Processes, threads and the packages they belong to.

use wattle_units::BootNanos;

use crate::{NameId, Pid, ProcessId, Tid, Uid};

/// One life of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The kernel's number while it lived.
    pub pid: Pid,
    /// Command line or name; `None` when nothing said it.
    pub name: Option<NameId>,
    /// Its user id; isolated processes have one of their own.
    pub uid: Option<Uid>,
    /// The package it belongs to, by uid and name.
    pub package: Option<NameId>,
    /// Its parent.
    pub parent: Option<ProcessId>,
    /// When it was seen to start.
    pub start: Option<BootNanos>,
    /// When it was seen to end.
    pub end: Option<BootNanos>,
}

/// One life of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The kernel's number while it lived.
    pub tid: Tid,
    /// Its name (`comm`, the last one seen).
    pub name: Option<NameId>,
    /// Its process; `None` when nothing said it.
    pub process: Option<ProcessId>,
    /// Whether its tid is the pid.
    pub is_main: bool,
    /// When it was seen to start.
    pub start: Option<BootNanos>,
    /// When it was seen to end.
    pub end: Option<BootNanos>,
}

/// An installed package (`packages_list`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, `com.example.app`.
    pub name: NameId,
    /// Its app uid (of user 0).
    pub uid: Uid,
    /// Whether it is debuggable.
    pub debuggable: bool,
    /// Whether a shell may profile it.
    pub profileable_from_shell: bool,
    /// `versionCode`.
    pub version_code: i64,
}
