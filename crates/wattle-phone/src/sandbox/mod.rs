//! The closed world of the phone's shell.
//!
//! Commands run in user, mount, process, network, IPC and host-name namespaces of their own. Their root folder is the phone's;
//! of this machine they see the programs of [`crate::program_list`] with the libraries that these need, each as one file that
//! cannot be written, and five devices. They have no capabilities and cannot get any. When the phone is gone, so are they, and
//! so is the folder of the phone: a keeper outside waits for the end and removes it.
//!
//! If the kernel refuses any of this, the phone does not start. There is no weaker mode.

mod guest_process;
mod keeper;
mod namespace_init;
mod program_libraries;
mod sandbox_handle;
mod sandbox_plan;
mod session_request;

pub(crate) use guest_process::GuestProcess;
pub(crate) use keeper::{ADB_SOCKET, FOLDER_PREFIX, end_adb_server, keep};
pub(crate) use namespace_init::begin;
pub(crate) use program_libraries::libraries;
pub(crate) use sandbox_handle::{Guest, Sandbox};
pub(crate) use sandbox_plan::{INIT, KEEPER, SandboxPlan};
