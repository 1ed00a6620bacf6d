//! What a person reads when a session broke off.

use crate::session::session_run::Work;
use crate::{DeviceError, quote};

/// What ended it, what there is of it, and what is to be done with the device.
pub(super) fn broken_off(
    cause: Option<DeviceError>,
    put_back: Result<(), DeviceError>,
    work: &Work<'_>,
) -> DeviceError {
    let state = match (&put_back, work.touched) {
        (_, false) => "nothing was changed on the device".to_owned(),
        (Ok(()), true) => "the device is as it was".to_owned(),
        (Err(error), true) => {
            let mut state = format!("the device could not be put back ({error})");
            let commands = to_do(work);
            if !commands.is_empty() {
                state.push_str("; when it answers again, this does it:");
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

/// What is still to be done, for the shell of this machine.
fn to_do(work: &Work<'_>) -> Vec<String> {
    let shell = format!("adb -s {} shell", quote(work.device.serial()));
    let ours = work.sources.to_clean();
    let ours = ours.iter().map(|command| format!("{shell} {}", quote(command)));
    ours.chain(work.environment.to_restore()).collect()
}
