//! Which calls pay for hardware other than cores.
//!
//! A call that moves data pays for the radio or the storage that moved it (DESIGN: *synchronous devices*): the energy of a
//! stretch of constant power goes to the low-level calls that ran in it, each by the time for which it was its thread's
//! innermost (Hitani et al., equation 2), or by the bytes that it moved where a probe counted them. A call that switched
//! something on pays for it until it is switched off (*asynchronous devices*). Calls are [`crate::ApiSets`].

mod sessions;
mod transfers;
mod users;

pub(crate) use users::DeviceUsers;
