//! Digests of the content of entries, computed in parallel.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::ApkError;
use crate::crypto::Hash;
use crate::zip::Entry;

/// The digests of each entry's content, in the order of the entries; or why it could not be read.
pub(super) fn digests(entries: &[(&Entry<'_>, Vec<Hash>)]) -> Vec<Result<Vec<Vec<u8>>, ApkError>> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(entries.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(entries.len()));
    let run = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((entry, hashes)) = entries.get(index) else { break };
            let mut running: Vec<_> = hashes.iter().map(|hash| hash.start()).collect();
            let read = entry.stream(&mut |part| running.iter_mut().for_each(|r| r.update(part)));
            let digests = read.map(|()| running.into_iter().map(|r| r.finalize().to_vec()));
            own.push((index, digests.map(Iterator::collect)));
        }
        if let Ok(mut done) = done.lock() {
            done.append(&mut own);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, digests)| digests).collect()
}
