//! The message of a session that broke off.

use crate::session::session_state::Work;
use crate::{DeviceError, quote};

/// The error of a session that broke off: the cause, what was kept, and how to restore the device.
pub(super) fn broken_off(
    cause: Option<DeviceError>,
    put_back: Result<(), DeviceError>,
    work: &Work<'_>,
) -> DeviceError {
    let state = match (&put_back, work.touched) {
        (_, false) => "nothing was changed on the device".to_owned(),
        (Ok(()), true) => "the device was restored".to_owned(),
        (Err(error), true) => {
            let mut state = format!("the device could not be restored ({error})");
            let commands = to_do(work);
            if !commands.is_empty() {
                state.push_str("; when it is connected again, run:");
                for command in commands {
                    state.push_str("\n  ");
                    state.push_str(&command);
                }
            }
            state
        }
    };
    let is_back = put_back.is_ok();
    let cause = cause.or(put_back.err()).unwrap_or(DeviceError::Cancelled);
    DeviceError::BrokenOff {
        cause: Box::new(cause),
        kept: work.books.kept(),
        is_back,
        put_back: state,
    }
}

/// The commands that remain to be run, for the shell of this machine.
fn to_do(work: &Work<'_>) -> Vec<String> {
    let shell = format!("adb -s {} shell", quote(work.device.serial()));
    let ours = work.sources.to_clean();
    let ours = ours.iter().map(|command| format!("{shell} {}", quote(command)));
    ours.chain(work.environment.to_restore()).collect()
}
