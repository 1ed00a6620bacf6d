//! Who looks after a device during a session: looks at it, prepares it, installs what runs, and puts it back.

mod device_keeper;
mod keeper_options;

pub use device_keeper::DeviceKeeper;
pub use keeper_options::KeeperOptions;
