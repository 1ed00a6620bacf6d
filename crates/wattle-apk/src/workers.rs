//! Work on as many threads as there are cores, whose result does not depend on how many that is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does every job once and returns the results in the order of the jobs.
pub(crate) fn ordered<J: Sync, T: Send>(jobs: &[J], work: impl Fn(&J) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { return own };
            own.push((index, work(job)));
        }
    };
    let mut done: Vec<(usize, T)> = thread::scope(|scope| {
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
        let expected: Vec<usize> = jobs.iter().map(|job| job * 2).collect();
        assert_eq!(ordered(&jobs, |job| job * 2), expected);
        assert_eq!(ordered(&[], |job: &usize| *job), Vec::<usize>::new());
    }
}
