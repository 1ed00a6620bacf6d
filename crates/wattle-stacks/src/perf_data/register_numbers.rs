//! Numbers of a program's registers, by the machine (`arch/*/include/uapi/asm/perf_regs.h`).

use wattle_timeline::{Architecture, StackRegisters};
use wattle_wire::ByteOrder;

use crate::perf_file::{EventAttr, Sample};

/// The registers that callers are found by.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterNumbers {
    pub architecture: Architecture,
    /// That of the instruction's address.
    pub counter: u32,
    stack: u32,
    frame: u32,
    /// That of the address to return to, on machines with one.
    link: Option<u32>,
}

impl RegisterNumbers {
    /// By the machine's name in a file (`uname -m`, or simpleperf's own).
    pub fn from_machine(machine: &str) -> Option<Self> {
        let (architecture, counter, stack, frame, link) = match machine {
            "x86_64" => (Architecture::X86_64, 8, 7, 6, None),
            "x86" | "i386" | "i486" | "i586" | "i686" => (Architecture::X86, 8, 7, 6, None),
            "aarch64" | "arm64" => (Architecture::Arm64, 32, 31, 29, Some(30)),
            machine if machine.starts_with("arm") => (Architecture::Arm, 15, 13, 11, Some(14)),
            _ => return None,
        };
        Some(Self { architecture, counter, stack, frame, link })
    }

    /// The registers of a sample; `None` if it lacks one.
    pub fn read(
        &self,
        sample: &Sample<'_>,
        attr: &EventAttr,
        order: ByteOrder,
    ) -> Option<StackRegisters> {
        let register = |number| sample.register(number, attr.regs_user, order);
        Some(StackRegisters {
            counter: register(self.counter)?,
            stack: register(self.stack)?,
            frame: register(self.frame)?,
            link: self.link.map_or(Some(0), register)?,
            arm: (self.architecture == Architecture::Arm).then(|| all_of_arm(register)).flatten(),
        })
    }
}

/// The 16 registers of 32-bit Arm.
fn all_of_arm(register: impl Fn(u32) -> Option<u64>) -> Option<[u32; 16]> {
    let mut all = [0; 16];
    for (number, to) in (0..).zip(&mut all) {
        *to = register(number)? as u32;
    }
    Some(all)
}
