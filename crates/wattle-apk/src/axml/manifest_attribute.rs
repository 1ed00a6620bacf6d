//! Numbers of Android's attributes (`android.R.attr`, AOSP `public-final.xml`).

pub(super) const NAME: u32 = 0x0101_0003;
pub(super) const HAS_CODE: u32 = 0x0101_000c;
pub(super) const ENABLED: u32 = 0x0101_000e;
pub(super) const DEBUGGABLE: u32 = 0x0101_000f;
pub(super) const EXPORTED: u32 = 0x0101_0010;
pub(super) const PROCESS: u32 = 0x0101_0011;
pub(super) const AUTHORITIES: u32 = 0x0101_0018;
pub(super) const TARGET_PACKAGE: u32 = 0x0101_0021;
pub(super) const TARGET_ACTIVITY: u32 = 0x0101_0202;
pub(super) const MIN_SDK_VERSION: u32 = 0x0101_020c;
pub(super) const VERSION_CODE: u32 = 0x0101_021b;
pub(super) const VERSION_NAME: u32 = 0x0101_021c;
pub(super) const TARGET_SDK_VERSION: u32 = 0x0101_0270;
pub(super) const TEST_ONLY: u32 = 0x0101_0272;
pub(super) const EXTRACT_NATIVE_LIBS: u32 = 0x0101_04ea;
pub(super) const VERSION_CODE_MAJOR: u32 = 0x0101_0576;
pub(super) const SHELL: u32 = 0x0101_0594;
