//! Names without what differs from run to run.

use std::borrow::Cow;

/// The kernel keeps that many bytes of a thread's name (`TASK_COMM_LEN` less the zero).
const LONGEST_COMM: usize = 15;

/// A thread's name with `*` for its numbers: `binder:123_4` is `binder:*_*`, `pool-1-thread-7` is `pool-*-thread-*`. Digits that
/// end a word of letters inside the name stay (`kworker/u16:3` is `kworker/u16:*`).
pub fn folded_thread(name: &str) -> Cow<'_, str> {
    // Android names binder threads `binder:PID_NUMBER`, the number in hexadecimal digits (`ProcessState::makeBinderThreadName`).
    if let Some((kind, rest)) = name.split_once(':')
        && (kind.ends_with("binder") || kind.ends_with("Binder"))
        && rest.split('_').all(|part| part.bytes().all(|c| c.is_ascii_hexdigit()))
        && !rest.is_empty()
    {
        let rest: Vec<&str> = rest.split('_').map(|_| "*").collect();
        return format!("{kind}:{}", rest.join("_")).into();
    }
    let folded = without_numbers(name, true);
    // The kernel cut the number off.
    if name.len() == LONGEST_COMM && folded.contains('*') && folded.ends_with('-') {
        return format!("{folded}*").into();
    }
    folded
}

/// A process's name with `*` for numbers that are its own: those of isolated services (`app:sandboxed_process7`) and kernel threads
/// (`kworker/1:2`). Names of packages and programs stay as they are.
pub fn folded_process(name: &str) -> Cow<'_, str> {
    if name.contains('.') || name.starts_with('/') {
        return match name.split_once(':') {
            Some((package, rest)) => {
                let words: Vec<_> =
                    rest.split(':').map(|word| without_numbers(word, true)).collect();
                format!("{package}:{}", words.join(":")).into()
            }
            None => name.into(),
        };
    }
    without_numbers(name, false)
}

/// `*` for each run of digits that does not follow a letter; at the very end for any, if asked for.
fn without_numbers(name: &str, is_end_a_number: bool) -> Cow<'_, str> {
    if !name.bytes().any(|c| c.is_ascii_digit()) {
        return name.into();
    }
    let mut folded = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (digits, after) = digits.split_at(end);
        folded.push_str(before);
        let follows_letter = folded.chars().next_back().is_some_and(char::is_alphabetic);
        let is_number = !follows_letter || (is_end_a_number && after.is_empty());
        folded.push_str(if is_number { "*" } else { digits });
        rest = after;
    }
    folded.push_str(rest);
    folded.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_are_folded() {
        for (name, folded) in [
            ("binder:123_4", "binder:*_*"),
            ("binder:9_1F", "binder:*_*"),
            ("HwBinder:612_1", "HwBinder:*_*"),
            ("binder:", "binder:"),
            ("pool-1-thread-7", "pool-*-thread-*"),
            ("pool-10-thread-", "pool-*-thread-*"),
            ("Jit thread pool worker thread 0", "Jit thread pool worker thread *"),
            ("AsyncTask #12", "AsyncTask #*"),
            ("kworker/u16:3", "kworker/u16:*"),
            ("kworker/0:1H-kblockd", "kworker/*:*H-kblockd"),
            ("Worker3", "Worker*"),
            ("main", "main"),
            ("", ""),
            ("電力-7", "電力-*"),
            ("7", "*"),
        ] {
            assert_eq!(folded_thread(name), folded, "{name}");
        }
    }

    #[test]
    fn packages_and_programs_keep_their_numbers() {
        for (name, folded) in [
            ("com.example.app2", "com.example.app2"),
            ("com.example.app:remote", "com.example.app:remote"),
            (
                "com.app:sandboxed_process7:org.chromium.Service0",
                "com.app:sandboxed_process*:org.chromium.Service*",
            ),
            (
                "/vendor/bin/hw/android.hardware.audio@2.0-service",
                "/vendor/bin/hw/android.hardware.audio@2.0-service",
            ),
            ("zygote64", "zygote64"),
            ("kworker/1:2", "kworker/*:*"),
            ("irq/17-ufshcd", "irq/*-ufshcd"),
        ] {
            assert_eq!(folded_process(name), folded, "{name}");
        }
    }
}
