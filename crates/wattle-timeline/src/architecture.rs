//! The instruction set of a device.

use serde::{Deserialize, Serialize};

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// 32-bit Arm.
    Arm,
    /// 64-bit Arm.
    Arm64,
    /// 32-bit x86.
    X86,
    /// 64-bit x86.
    #[serde(rename = "x86_64")]
    X86_64,
    /// 64-bit RISC-V.
    Riscv64,
}

impl Architecture {
    /// All of them, as words of files and JSON.
    pub const WORDS: &'static [&'static str] = &["arm", "arm64", "x86", "x86_64", "riscv64"];

    /// From the name of a machine (`uname -m`: `aarch64`, `armv8l`, `i686`) or of one of Android's ABIs (`arm64-v8a`). A 32-bit
    /// process of a 64-bit kernel sees `armv8l`: the machine is then 64-bit.
    pub fn from_machine(machine: &str) -> Option<Self> {
        /// Beginnings of names, the longest of each family first.
        const BEGINNINGS: [(&str, Architecture); 10] = [
            ("aarch64", Architecture::Arm64),
            ("arm64", Architecture::Arm64),
            ("armv8", Architecture::Arm64),
            ("arm", Architecture::Arm),
            ("x86_64", Architecture::X86_64),
            ("x86-64", Architecture::X86_64),
            ("amd64", Architecture::X86_64),
            ("x86", Architecture::X86),
            ("riscv64", Architecture::Riscv64),
            ("i", Architecture::X86),
        ];
        let machine = machine.trim().to_ascii_lowercase();
        let (beginning, found) =
            BEGINNINGS.iter().find(|(beginning, _)| machine.starts_with(beginning))?;
        // `i386` to `i686`.
        let is_intel = || machine.len() == 4 && machine.ends_with("86");
        (*beginning != "i" || is_intel()).then_some(*found)
    }

    /// Whether it is one of Arm's.
    pub const fn is_arm(self) -> bool {
        matches!(self, Self::Arm | Self::Arm64)
    }

    /// From the name of a function of Linux that only kernels of one architecture have: where system calls and exceptions come in
    /// (`arch/x86/entry/entry_64.S`, `arch/arm64/kernel/entry.S`).
    pub fn from_kernel_function(function: &str) -> Option<Self> {
        const BEGINNINGS: [(&str, Architecture); 6] = [
            ("entry_SYSCALL_64", Architecture::X86_64),
            ("asm_sysvec_", Architecture::X86_64),
            ("el0_svc", Architecture::Arm64),
            ("el0t_64_", Architecture::Arm64),
            ("el1h_64_", Architecture::Arm64),
            ("__arm64_sys_", Architecture::Arm64),
        ];
        let mut all = BEGINNINGS.iter();
        all.find(|(beginning, _)| function.starts_with(beginning)).map(|(_, it)| *it)
    }

    /// From an address in the code of Linux, where only kernels of one architecture have it: the last 2 GiB
    /// (`Documentation/arch/x86/x86_64/mm.rst`; on 64-bit Arm, see `Documentation/arch/arm64/memory.rst`, no code is there).
    pub const fn from_kernel_address(address: u64) -> Option<Self> {
        const LAST: u64 = 0xffff_ffff_8000_0000;
        const END: u64 = 0xffff_ffff_ff00_0000;
        if LAST <= address && address < END { Some(Self::X86_64) } else { None }
    }

    /// From the path of a library in a folder of Debian's for one architecture (`/usr/lib/x86_64-linux-gnu`).
    pub fn from_library(path: &str) -> Option<Self> {
        let (folders, _) = path.rsplit_once('/')?;
        let machine = |folder: &str| Self::from_machine(folder.split_once("-linux-gnu")?.0);
        folders.split('/').find_map(machine)
    }

    /// From the end of a kernel's description, its release and machine (`5.10.66 aarch64`).
    pub fn from_kernel(kernel: &str) -> Option<Self> {
        kernel.split_whitespace().last().and_then(Self::from_machine)
    }

    /// The word in files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Arm64 => "arm64",
            Self::X86 => "x86",
            Self::X86_64 => "x86_64",
            Self::Riscv64 => "riscv64",
        }
    }

    /// The name in a sentence, that of the kernel's machine.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Arm => "armv7",
            Self::Arm64 => "aarch64",
            Self::X86 => "x86",
            Self::X86_64 => "x86_64",
            Self::Riscv64 => "riscv64",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(machine: &str, expected: Option<Architecture>) {
        assert_eq!(Architecture::from_machine(machine), expected, "{machine}");
    }

    #[test]
    fn architectures_have_names_of_machines_and_of_abis() {
        check("aarch64", Some(Architecture::Arm64));
        check("arm64-v8a", Some(Architecture::Arm64));
        check("armv8l", Some(Architecture::Arm64));
        check("armv7l", Some(Architecture::Arm));
        check("armeabi-v7a", Some(Architecture::Arm));
        check("x86_64", Some(Architecture::X86_64));
        check("i686", Some(Architecture::X86));
        check("x86", Some(Architecture::X86));
        check("riscv64", Some(Architecture::Riscv64));
        check("ia64", None);
        check("mips", None);
        check("", None);
        assert_eq!(
            Architecture::from_kernel("5.10.66-android12 aarch64"),
            Some(Architecture::Arm64)
        );
        assert_eq!(Architecture::from_kernel("3.10.49"), None);
        let library = Architecture::from_library;
        assert_eq!(library("/usr/lib/i386-linux-gnu/libc.so.6"), Some(Architecture::X86));
        assert_eq!(library("/lib/arm-linux-gnueabihf/libc.so.6"), Some(Architecture::Arm));
        assert_eq!(library("/lib64/libc.so.6"), None);
        assert_eq!(library("/opt/x-linux-gnu/x86_64-linux-gnu/l.so"), Some(Architecture::X86_64));
        assert_eq!(library("/opt/x86_64-linux-gnu"), None);
    }
}
