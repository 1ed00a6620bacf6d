//! The phone's shell: the host's `/bin/sh` in the phone's folders, with the phone's programs.

mod command_text;
mod pump;
mod shell_session;

pub(crate) use command_text::prepare;
pub(crate) use shell_session::{Form, Session};
