//! The phone's shell: this machine's `sh` in a [sandbox](crate::sandbox), with the phone's programs.

mod command_text;
mod pump;
mod shell_session;

pub(crate) use command_text::prepare;
pub(crate) use shell_session::{Form, Session};
