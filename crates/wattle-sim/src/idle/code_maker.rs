//! Modules, functions and stacks as programs have them.

use super::{CodeFrame, CodeModule, CodePath};
use crate::SplitMix64;

/// Which system a machine runs, which decides what files, roots of stacks and addresses look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleSystem {
    /// Linux of 64 bits.
    Linux,
    /// Windows of 64 bits.
    Windows64,
    /// Windows of 32 bits.
    Windows32,
}

/// Activity of a thread in its innermost frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Sleeps for a time.
    Sleep,
    /// Waits for something.
    Wait,
    /// Waits for the disk.
    Disk,
    /// Runs code of its own.
    Work,
}

/// The program's own file in [`CodeMaker::modules`].
const PROGRAM: u16 = 0;
/// Its library.
const LIBRARY: u16 = 1;
/// The system's library below which there is only the kernel.
const SYSTEM: u16 = 2;
/// The one above that (Windows: `KERNELBASE.dll`).
const BASE: u16 = 3;
/// Module that starts threads.
const START: u16 = 4;
/// The kernel.
const KERNEL: u16 = 5;

/// Makes the code of one process.
#[derive(Clone, Debug)]
pub(super) struct CodeMaker {
    system: IdleSystem,
    random: SplitMix64,
    functions: u32,
}

impl CodeMaker {
    pub const fn new(system: IdleSystem, random: SplitMix64) -> Self {
        Self { system, random, functions: 0 }
    }

    /// The files of a program.
    pub fn modules(&mut self, program: &str) -> Vec<CodeModule> {
        let stem = program.trim_end_matches(".exe");
        let (paths, lowest, apart, kernel) = match self.system {
            IdleSystem::Linux => (
                [
                    format!("/usr/bin/{program}"),
                    format!("/usr/lib/{stem}/lib{stem}.so"),
                    "/usr/lib/x86_64-linux-gnu/libc.so.6".to_owned(),
                    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6".to_owned(),
                    "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0".to_owned(),
                    "[kernel.kallsyms]".to_owned(),
                ],
                0x5500_0000_0000,
                0x10_0000_0000,
                0xFFFF_FFFF_8100_0000,
            ),
            IdleSystem::Windows64 => {
                (windows(program, stem), 0x7FF6_0000_0000, 0x1_0000_0000, 0xFFFF_F802_4200_0000)
            }
            IdleSystem::Windows32 => {
                (windows(program, stem), 0x0040_0000, 0x1000_0000, 0x8200_0000)
            }
        };
        let paths = paths.into_iter().enumerate();
        let module = |(index, path): (usize, String)| {
            let is_kernel = index == usize::from(KERNEL);
            let base = if is_kernel { kernel } else { lowest + apart * index as u64 };
            CodeModule { path, base, size: 0x80_0000, is_kernel }
        };
        paths.map(module).collect()
    }

    fn frame(module: u16, function: &str) -> CodeFrame {
        // The place in the module follows from the name alone, so that the same function is at the same place everywhere.
        let seed = function.bytes().fold(u64::from(module), |sum, byte| {
            sum.wrapping_mul(0x100_0000_01B3) ^ u64::from(byte)
        });
        let offset = 0x1000 + SplitMix64::new(seed).below(0x7E_0000);
        CodeFrame { module, function: function.to_owned(), offset }
    }

    fn own(&mut self, module: u16, what: &str) -> CodeFrame {
        self.functions += 1;
        let function = format!("{what}{}", self.functions);
        Self::frame(module, &function)
    }

    fn root(&self) -> Vec<CodeFrame> {
        match self.system {
            IdleSystem::Linux => {
                vec![Self::frame(SYSTEM, "clone3"), Self::frame(SYSTEM, "start_thread")]
            }
            _ => vec![
                Self::frame(SYSTEM, "RtlUserThreadStart"),
                Self::frame(START, "BaseThreadInitThunk"),
            ],
        }
    }

    /// A path of code for something a thread does: a root, two to four functions of its own, then several ways on.
    pub fn path(&mut self, what: &str, leaf: Leaf, odd_percent: u8) -> CodePath {
        let mut common = self.root();
        common.push(self.own(PROGRAM, "threadMain"));
        for _ in 0..=self.random.below(3) {
            let module = if self.random.chance(0.5) { PROGRAM } else { LIBRARY };
            common.push(self.own(module, what));
        }
        // At least three ways, equally often: none of them is in common with a majority of 80 %.
        let leaves = (0..3 + self.random.below(3)).map(|_| self.leaf(leaf)).collect();
        let odd = (0..2).map(|_| self.odd()).collect();
        CodePath { common, leaves, odd, odd_percent }
    }

    fn leaf(&mut self, leaf: Leaf) -> Vec<CodeFrame> {
        let mut frames = vec![self.own(LIBRARY, "step")];
        let is_linux = self.system == IdleSystem::Linux;
        let (outer, inner, call) = match (leaf, is_linux) {
            (Leaf::Work, _) => {
                frames.push(self.own(PROGRAM, "compute"));
                return frames;
            }
            (Leaf::Sleep, true) => ("sleep_for", "clock_nanosleep", "do_nanosleep"),
            (Leaf::Wait, true) => ("wait", "pthread_cond_timedwait", "futex_wait"),
            (Leaf::Disk, true) => ("readBlock", "pread64", "io_schedule"),
            (Leaf::Sleep, false) => ("SleepEx", "ZwDelayExecution", "KeDelayExecutionThread"),
            (Leaf::Wait, false) => {
                ("WaitForSingleObjectEx", "ZwWaitForSingleObject", "KeWaitForSingleObject")
            }
            (Leaf::Disk, false) => ("ReadFile", "ZwReadFile", "IoSynchronousPageWrite"),
        };
        frames.push(Self::frame(BASE, outer));
        frames.push(Self::frame(SYSTEM, inner));
        let kernel: &[&str] = if is_linux {
            &["entry_SYSCALL_64_after_hwframe", "do_syscall_64", call, "schedule", "__schedule"]
        } else {
            &["KiSystemServiceCopyEnd", call, "KiCommitThreadWait", "KiSwapThread", "KiSwapContext"]
        };
        frames.extend(kernel.iter().map(|function| Self::frame(KERNEL, function)));
        frames
    }

    /// A signal's handler, or a procedure that the kernel calls.
    fn odd(&mut self) -> Vec<CodeFrame> {
        let entry = match self.system {
            IdleSystem::Linux => "__restore_rt",
            _ => "KiUserApcDispatcher",
        };
        let mut frames = vec![Self::frame(SYSTEM, entry), self.own(PROGRAM, "notified")];
        frames.push(Self::frame(KERNEL, "exitToUserWork"));
        frames
    }
}

fn windows(program: &str, stem: &str) -> [String; 6] {
    let system = "\\Device\\HarddiskVolume3\\Windows\\System32";
    let own = format!("\\Device\\HarddiskVolume3\\Program Files\\{stem}");
    [
        format!("{own}\\{program}"),
        format!("{own}\\{stem}core.dll"),
        format!("{system}\\ntdll.dll"),
        format!("{system}\\KernelBase.dll"),
        format!("{system}\\kernel32.dll"),
        "\\SystemRoot\\system32\\ntoskrnl.exe".to_owned(),
    ]
}
