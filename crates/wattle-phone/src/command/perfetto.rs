//! `perfetto`.

use std::io;

use crate::tool::Call;

pub(super) fn perfetto(call: &mut Call) -> io::Result<u8> {
    call.fail("Connection to traced failed")
}
