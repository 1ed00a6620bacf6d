//! The first use of a register by a body.

use wattle_dex::{Code, Liveness, Result};

/// Whether a body may read a register before it writes it. Most bodies show it at their beginning, the others are
/// analysed; those too large for it pass.
pub(super) fn may_read_first(code: &Code, register: u16) -> Result<bool> {
    let register = u32::from(register);
    for instruction in code.instructions() {
        if instruction.read().contains(&register) {
            return Ok(true);
        }
        let opcode = instruction.opcode;
        let branches = opcode.is_branch() || opcode.is_goto() || opcode.is_switch();
        if branches || (opcode.can_throw() && !code.tries.is_empty()) {
            break;
        }
        let written = instruction.written();
        let writes = |(first, wide)| register == first || (wide && register == first + 1);
        if written.is_some_and(writes) || !opcode.can_continue() {
            return Ok(false);
        }
    }
    Ok(match Liveness::from_code(code) {
        Ok(liveness) => liveness.before(code, 0)?.contains(register),
        Err(_) => false,
    })
}
