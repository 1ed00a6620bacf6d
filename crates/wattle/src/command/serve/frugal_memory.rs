//! Memory of a server that is given back.

/// Starts this program once more in the same process, with an allocator that gives memory back as soon as it is free. glibc's own choice is an
/// arena for each of many threads, each of which keeps what the largest ledger or picture needed once. Whoever has set `MALLOC_ARENA_MAX` has chosen
/// already. Does nothing where the allocator is another one, or where the program cannot be started.
pub fn ensure() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::unix::process::CommandExt as _;

        const SETTINGS: [(&str, &str); 3] = [
            ("MALLOC_ARENA_MAX", "2"),
            ("MALLOC_MMAP_THRESHOLD_", "1048576"),
            ("MALLOC_TRIM_THRESHOLD_", "1048576"),
        ];
        let is_chosen = std::env::var_os("MALLOC_ARENA_MAX").is_some();
        if let (false, Ok(program)) = (is_chosen, std::env::current_exe()) {
            let mut arguments = std::env::args_os();
            let mut command = std::process::Command::new(program);
            command.arg0(arguments.next().unwrap_or_default()).args(arguments).envs(SETTINGS);
            // It returns if it failed; the server then runs with what there is.
            let _ = command.exec();
        }
    }
}
