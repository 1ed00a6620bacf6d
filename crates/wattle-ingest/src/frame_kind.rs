//! What kind of code lies in a mapped file, by its path.

use wattle_timeline::FrameKind;

/// Endings of files that hold Java code, as bytecode or compiled ahead of time.
const JAVA: [&str; 7] = [".oat", ".odex", ".vdex", ".dex", ".jar", ".apk", ".art"];

/// The kind of code in a mapping.
pub(crate) fn frame_kind(mapping: &str) -> FrameKind {
    if mapping.starts_with("[kernel")
        || mapping == "/kernel"
        || mapping.strip_suffix(".ko").is_some()
    {
        FrameKind::Kernel
    } else if ["jit-cache", "dalvik-jit", "jit_app_cache", "jit_zygote_cache"]
        .iter()
        .any(|jit| mapping.contains(jit))
    {
        FrameKind::Jit
    } else if JAVA.iter().any(|end| mapping.ends_with(end)) {
        FrameKind::Java
    } else {
        FrameKind::Native
    }
}
