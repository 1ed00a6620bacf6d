//! Things that are made on a thread of their own, while those before are used.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Makes things ahead of their use, in their order: `make` on a thread of its own until it gives nothing, and `work` here. So many wait
/// at most while one more is being made. Things that were used are to be given back: `make` finds them in its [`Supply`].
///
/// Without a thread to be had, each thing is made when it is asked for.
pub fn made_ahead<T: Send, R>(
    waiting: usize,
    make: impl FnMut(&mut Supply<T>) -> Option<T> + Send,
    work: impl FnOnce(&mut Ahead<'_, T>) -> R,
) -> R {
    let make = Mutex::new(Some(make));
    let take = || make.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let (full, made) = sync_channel(waiting);
        let (back, used) = channel();
        let supply = Supply { used: Some(used), kept: Vec::new(), away: 0 };
        let run = move || take().map_or((), |make| fill(make, supply, &full));
        if thread::Builder::new().spawn_scoped(scope, run).is_ok() {
            // Dropped before the scope ends: the other thread waits for nobody then.
            return work(&mut Ahead(Maker::There { made, back }));
        }
        let mut make = take();
        let make = make.as_mut().map(|make| make as Make<'_, T>);
        let supply = Supply { used: None, kept: Vec::new(), away: 0 };
        work(&mut Ahead(Maker::Here { make, supply }))
    })
}

/// Makes things until there are no more, or until nobody wants more.
fn fill<T>(
    mut make: impl FnMut(&mut Supply<T>) -> Option<T>,
    mut supply: Supply<T>,
    full: &SyncSender<T>,
) {
    while let Some(next) = make(&mut supply) {
        supply.away += 1;
        if full.send(next).is_err() {
            return;
        }
    }
}

/// Things that were used, whose memory the next ones may have.
#[derive(Debug)]
pub struct Supply<T> {
    /// `None` where things are made when they are asked for.
    used: Option<Receiver<T>>,
    kept: Vec<T>,
    /// Things that were made and are not back yet.
    away: usize,
}

impl<T> Supply<T> {
    /// One of them, if there is any.
    pub fn used(&mut self) -> Option<T> {
        if let Some(used) = self.used.as_ref().and_then(|used| used.try_recv().ok()) {
            self.away = self.away.saturating_sub(1);
            return Some(used);
        }
        self.kept.pop()
    }

    /// Waits until all that was made is back: for a thing so large that there should be no other beside it. Whether it came back: it
    /// does not where nobody wants more.
    pub fn wait_for_all(&mut self) -> bool {
        let Some(back) = &self.used else { return true };
        while self.away > 0 {
            let Ok(used) = back.recv() else { return false };
            self.kept.push(used);
            self.away -= 1;
        }
        true
    }
}

type Make<'m, T> = &'m mut (dyn FnMut(&mut Supply<T>) -> Option<T> + Send);

/// The other end: what was made.
pub struct Ahead<'m, T>(Maker<'m, T>);

enum Maker<'m, T> {
    There { made: Receiver<T>, back: Sender<T> },
    Here { make: Option<Make<'m, T>>, supply: Supply<T> },
}

impl<T> Iterator for Ahead<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            // The thread is gone when all was sent.
            Maker::There { made, .. } => made.recv().ok(),
            Maker::Here { make, supply } => {
                let next = make.as_mut().and_then(|make| make(supply));
                if next.is_none() {
                    *make = None;
                }
                next
            }
        }
    }
}

impl<T> Ahead<'_, T> {
    /// Gives a thing back that was used.
    pub fn give_back(&mut self, thing: T) {
        match &mut self.0 {
            Maker::There { back, .. } => {
                // Nobody wants it once all are made.
                let _ = back.send(thing);
            }
            Maker::Here { supply, .. } => supply.kept.push(thing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers up to this one, each with how often its memory was used before. Numbers with this divisor have no other beside them.
    fn numbers(to: u32, alone: u32) -> impl FnMut(&mut Supply<(u32, u32)>) -> Option<(u32, u32)> {
        let mut next = 0;
        move |supply| {
            next += 1;
            if next % alone == 0 && supply.wait_for_all() {
                assert_eq!(supply.away, 0);
            }
            (next <= to).then(|| (next, supply.used().map_or(0, |(_, uses)| uses + 1)))
        }
    }

    /// Takes the first so many; the numbers, and whether any memory was used twice.
    fn take(ahead: &mut Ahead<'_, (u32, u32)>, count: usize) -> (Vec<u32>, bool) {
        let (mut numbers, mut is_reused) = (Vec::new(), false);
        while numbers.len() < count
            && let Some((number, uses)) = ahead.next()
        {
            numbers.push(number);
            is_reused |= uses > 0;
            ahead.give_back((number, uses));
        }
        (numbers, is_reused)
    }

    #[test]
    fn all_come_in_order_and_memory_is_used_again() {
        for waiting in [0, 1, 4] {
            let (found, is_reused) =
                made_ahead(waiting, numbers(1000, 7), |ahead| take(ahead, usize::MAX));
            assert_eq!(found, (1..=1000).collect::<Vec<_>>(), "{waiting}");
            assert!(is_reused);
        }
    }

    #[test]
    fn what_nobody_wants_is_not_waited_for() {
        let (found, _) = made_ahead(2, numbers(u32::MAX, 5), |ahead| take(ahead, 3));
        assert_eq!(found, [1, 2, 3]);
    }

    #[test]
    fn without_a_thread_it_is_made_here() {
        let mut make = numbers(5, 2);
        let supply = Supply { used: None, kept: Vec::new(), away: 0 };
        let mut ahead = Ahead(Maker::Here { make: Some(&mut make), supply });
        assert_eq!(take(&mut ahead, 100), (vec![1, 2, 3, 4, 5], true));
        assert_eq!(ahead.next(), None);
    }
}
