//! The calls that hardware other than cores is attributed to.
//!
//! A call that moves data is charged for the radio or the storage that moved it (DESIGN: *synchronous devices*): the energy of a
//! stretch of constant power goes to the low-level calls that ran in it, each by the time for which it was its thread's
//! innermost (Hitani et al., equation 2), or by the bytes that it moved where a probe counted them. A call that switched
//! something on is charged for it until it is switched off (*asynchronous devices*). Calls are [`crate::ApiSets`].

mod component_users;
mod sessions;
mod transfers;
mod using_path;

pub(crate) use component_users::DeviceUsers;
