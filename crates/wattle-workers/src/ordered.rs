//! Jobs in, results out in the same order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of worker threads: the number asked for, or what the machine has when it is 0.
pub fn available(threads: usize) -> usize {
    if threads > 0 { threads } else { thread::available_parallelism().map_or(1, usize::from) }
}

/// Does the same work on so many threads, this one among them, or on as many as the system gives; returns what each made.
pub fn together<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, &work).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut done = vec![work()];
        for other in others {
            match other.join() {
                Ok(theirs) => done.push(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}

/// Does every job once and returns the results in the order of the jobs.
pub fn ordered<J: Sync, T: Send>(
    threads: usize,
    jobs: &[J],
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let results = numbered(threads, jobs.len(), |index| jobs.get(index).map(&work));
    results.into_iter().flatten().collect()
}

/// The same for jobs that are their numbers, from 0.
pub fn numbered<T: Send>(threads: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads.min(jobs);
    if threads <= 1 {
        return (0..jobs).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= jobs {
                return own;
            }
            own.push((index, work(index)));
        }
    };
    let mut done: Vec<(usize, T)> = together(threads, worker).into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..100).collect();
        let expected: Vec<usize> = jobs.iter().map(|job| job * 2).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(ordered(threads, &jobs, |job| job * 2), expected, "{threads}");
            assert_eq!(numbered(threads, 100, |job| job * 2), expected, "{threads}");
        }
        assert_eq!(ordered(4, &[], |job: &usize| *job), Vec::<usize>::new());
    }
}
