//! The machine that a text was recorded on, by its frames: heads are mostly missing.

use wattle_timeline::{Architecture, DeviceFacts, OperatingSystem};

/// Folders that only Android has files of programs in.
const OF_ANDROID: [&str; 4] = ["/system/", "/apex/", "/data/app/", "/vendor/"];

/// The signs that frames gave so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ToldMachine {
    by_function: Option<Architecture>,
    by_library: Option<Architecture>,
    by_address: Option<Architecture>,
    is_android: bool,
}

impl ToldMachine {
    /// A frame of a program is in this file.
    pub fn file(&mut self, path: &str) {
        self.is_android |= OF_ANDROID.iter().any(|folder| path.starts_with(folder));
        self.by_library = self.by_library.or_else(|| Architecture::from_library(path));
    }

    /// A frame of the kernel.
    pub fn kernel(&mut self, function: &[u8], address: u64) {
        if self.by_function.is_none() {
            let name = std::str::from_utf8(function).ok();
            self.by_function = name.and_then(Architecture::from_kernel_function);
        }
        self.by_address = self.by_address.or_else(|| Architecture::from_kernel_address(address));
    }

    /// Gives what the head does not say.
    pub fn tell(self, device: &mut DeviceFacts) {
        let by_frames = self.by_function.or(self.by_library).or(self.by_address);
        device.architecture = device.architecture.or(by_frames);
        let is_computers =
            self.by_library.is_some() || device.architecture.is_some_and(|it| !it.is_arm());
        // Who records with perf does so on a computer, unless that is one with an Arm processor.
        if device.system.is_none() && is_computers && !self.is_android {
            device.system = Some(OperatingSystem::Linux);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        files: &[&str],
        kernel: &[(&str, u64)],
        expected: (Option<Architecture>, Option<OperatingSystem>),
    ) {
        let mut told = ToldMachine::default();
        for path in files {
            told.file(path);
        }
        for (function, address) in kernel {
            told.kernel(function.as_bytes(), *address);
        }
        let mut device = DeviceFacts::default();
        told.tell(&mut device);
        assert_eq!((device.architecture, device.system), expected, "{files:?} {kernel:?}");
    }

    #[test]
    fn machines_are_told_by_frames() {
        let linux = Some(OperatingSystem::Linux);
        let x86 = Some(Architecture::X86_64);
        let arm = Some(Architecture::Arm64);
        check(&[], &[], (None, None));
        check(&["/workdir/forks"], &[], (None, None));
        check(&["/lib/x86_64-linux-gnu/libc-2.27.so"], &[], (x86, linux));
        check(&["/usr/lib/aarch64-linux-gnu/libc.so.6"], &[], (arm, linux));
        check(&["/workdir/forks"], &[("[unknown]", 0xffff_ffff_ad14_d115)], (x86, linux));
        check(&[], &[("el0_svc", 0xffff_ffc0_0801_0000)], (arm, None));
        check(&[], &[("vfs_read", 0xffff_ffc0_0801_0000)], (None, None));
        // The kernel of an emulator.
        check(&["/system/lib64/libc.so"], &[("do_idle", 0xffff_ffff_8108_0000)], (x86, None));
        check(&["/apex/com.android.art/lib64/libart.so"], &[], (None, None));
    }
}
