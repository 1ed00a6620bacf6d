//! Commands on a device.

mod channel;
mod leash;
mod marker;
mod packet;
mod stream;

pub(super) use channel::{ShellChannel, shortened};
pub(super) use stream::AdbShellStream;
