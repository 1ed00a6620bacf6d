//! Work on several threads whose result does not depend on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads work: the number asked for, or what the machine has when it is 0.
pub(crate) fn available(threads: usize) -> usize {
    if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) }
}

/// Does every job once and returns the results in the order of the jobs.
pub(crate) fn ordered<J: Sync, T: Send>(
    threads: usize,
    jobs: &[J],
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let threads = threads.min(jobs.len());
    if threads <= 1 {
        return jobs.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((index, job)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(index).map(|job| (index, job))
        } {
            done.push((index, work(job)));
        }
        done
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(ordered(threads, &jobs, |job| job * 2), ordered(1, &jobs, |job| job * 2));
        }
        assert_eq!(ordered(4, &jobs, |job| *job), jobs);
    }
}
