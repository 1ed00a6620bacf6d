//! Stage 2b: the users of hardware other than cores.
//!
//! In: call paths, states, frames, packets of a timeline. Out: [`DeviceUsers`], for each component the calls, apps or threads that
//! its energy is attributed to.
//!
//! A call that moves data is charged for the radio or the storage that moved it (DESIGN: *synchronous devices*): the energy of a
//! stretch of constant power goes to the low-level calls that ran in it, each by the time for which it was its thread's
//! innermost (Hitani et al., equation 2), or by the bytes that it moved where a probe counted them. A call that switched
//! something on is charged for it until it is switched off (*asynchronous devices*). Calls are [`crate::ApiSets`].
//!
//! Where no call says it, the recording may still: a display is lit for the app in front, memory serves the cores that execute, a GPU
//! works for the process whose frame it finishes ([`Split`]). What nobody is known to have caused is *unattributed*.

mod component_users;
mod concurrent_users;
mod front_apps;
mod gpu_work;
mod hardware_user;
mod packet_users;
mod sessions;
mod split;
mod state_users;
mod storage_waits;
mod transfers;
mod using_path;

pub(crate) use component_users::DeviceUsers;
pub(crate) use concurrent_users::Concurrent;
pub(crate) use hardware_user::HardwareUser;
pub(crate) use split::{Split, SplitError};
