//! Functions at which stacks begin.

/// Frames that the kernel writes at most of one stack, where nobody asks for more (`kernel.perf_event_max_stack`).
pub(crate) const DEEPEST: usize = 127;

/// First functions of threads: of the C libraries, of Android's, and of the kernel's own.
const STARTS: &[&str] = &[
    "_start",
    "_start_main",
    "__libc_start_main",
    "__libc_start_call_main",
    "__libc_init",
    "__start_thread",
    "start_thread",
    "__pthread_start",
    "thread_start",
    "clone",
    "clone3",
    "__clone",
    "__clone3",
    "__bionic_clone",
    "start_kernel",
    "x86_64_start_kernel",
    "start_secondary",
    "secondary_start_kernel",
    "secondary_startup_64",
    "ret_from_fork",
    "ret_from_fork_asm",
    "kthread",
];

/// Whether a thread begins with the function; versions and the compiler's suffixes aside (`clone@@GLIBC_2.2.5`,
/// `__libc_start_main_impl`, `secondary_startup_64_no_verify`).
pub(crate) fn is_start(function: &str) -> bool {
    let end = function.find(['@', '.']).filter(|end| *end > 0).unwrap_or(function.len());
    let function = function.get(..end).unwrap_or(function);
    STARTS.contains(&function)
        || function.starts_with("__libc_start_main")
        || function.starts_with("secondary_startup_64")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_begin_somewhere() {
        for start in ["_start", "clone@@GLIBC_2.2.5", "__libc_start_main_impl", "ret_from_fork"] {
            assert!(is_start(start), "{start}");
        }
        for other in ["main", "_startup", "clone_of_mine", ".start", ""] {
            assert!(!is_start(other), "{other}");
        }
    }
}
