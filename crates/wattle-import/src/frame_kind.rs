//! Kind of code in a mapped file, by its path.

use wattle_timeline::FrameKind;

/// Mappings in brackets that are no kernel's.
const OF_PROCESSES: &[&str] =
    &["[unknown", "[vdso", "[vsyscall", "[vvar", "[heap", "[stack", "[anon", "[uprobes", "[linker"];

/// Returns the kind of code in a mapping, by its path: of kernel modules without a file only the name is known, in
/// brackets.
pub fn frame_kind(mapping: &str) -> FrameKind {
    let ends = |wanted: &[&str]| wanted.iter().any(|end| mapping.ends_with(end));
    let is_jit = ["jit-cache", "dalvik-jit", "jit_app_cache", "jit_zygote_cache"]
        .iter()
        .any(|jit| mapping.contains(jit))
        || mapping.starts_with("[JIT")
        || is_perf_map(mapping);
    let is_module = || {
        let is_bracketed = mapping.starts_with('[') && mapping.ends_with(']');
        is_bracketed && !OF_PROCESSES.iter().any(|start| mapping.starts_with(start))
    };
    if is_jit {
        FrameKind::Jit
    } else if mapping.starts_with("[kernel")
        || mapping.starts_with("[guest.kernel")
        || mapping == "/kernel"
        || mapping.contains("/vmlinux")
        || ends(&[".ko", ".ko.xz", ".ko.gz", ".ko.zst"])
        || is_module()
    {
        FrameKind::Kernel
    } else if ends(&[".oat", ".odex", ".vdex", ".dex", ".jar", ".apk", ".art"]) {
        FrameKind::Java
    } else {
        FrameKind::Native
    }
}

/// `/tmp/perf-1234.map`: names that a virtual machine wrote of the code it made.
fn is_perf_map(mapping: &str) -> bool {
    let name = mapping.rsplit('/').next().unwrap_or(mapping);
    let number = name.strip_prefix("perf-").and_then(|rest| rest.strip_suffix(".map"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_goes_by_its_mapping() {
        let check = |mapping, kind| assert_eq!(frame_kind(mapping), kind, "{mapping}");
        check("[kernel.kallsyms]", FrameKind::Kernel);
        check("[kernel.kallsyms]_stext", FrameKind::Kernel);
        check("[guest.kernel.kallsyms]", FrameKind::Kernel);
        check("[nf_conntrack]", FrameKind::Kernel);
        check("/lib/modules/6.1/kernel/fs/ext4.ko.xz", FrameKind::Kernel);
        check("/usr/lib/debug/boot/vmlinux-6.1", FrameKind::Kernel);
        check("[vdso]", FrameKind::Native);
        check("[anon:libc_malloc]", FrameKind::Native);
        check("/system/lib64/libc.so", FrameKind::Native);
        check("/tmp/perf-23895.map", FrameKind::Jit);
        check("/tmp/perf-x.map", FrameKind::Native);
        check("[JIT app cache]", FrameKind::Jit);
        check("/memfd:jit-cache", FrameKind::Jit);
        check("[anon:dalvik-jit-code-cache]", FrameKind::Jit);
        check("/system/framework/framework.jar", FrameKind::Java);
        check("/data/app/x/oat/arm64/base.odex", FrameKind::Java);
        check("/data/app/x/base.apk!/lib/arm64/libx.so", FrameKind::Native);
    }
}
