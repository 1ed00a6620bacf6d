//! The phone's shell: the host's `/bin/sh` in the phone's folders, with the phone's programs.

mod owned;
mod pump;
mod session;
mod text;

pub(crate) use owned::{is_owned, kill_all, signal};
pub(crate) use session::{Form, Session};
pub(crate) use text::prepare;
