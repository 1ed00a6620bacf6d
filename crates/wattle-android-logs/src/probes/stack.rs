//! Which record ends what another began.
//!
//! An exit without an entry is counted and ignored: it belongs to a call from before the records. An entry without an
//! exit (its record was lost) ends when what it was called from ends, or never.

use rustc_hash::FxHashMap;

use super::probe_record::{Kind, Record};

/// Item that can be open in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Open {
    Method(u32),
    Call(u32),
    Drain,
}

/// Effect of a record on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Begin(Open),
    /// So many innermost ones end.
    End(usize),
    Nothing,
}

/// The open calls of a thread.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    open: Vec<Open>,
    /// Number of open items of each kind; calls and drains end without a number, so they are counted together.
    count: FxHashMap<Open, u32>,
    /// Ends of what was not open.
    pub unmatched: u64,
    /// Items without an end of their own.
    pub missing: u64,
}

/// All calls, where it does not matter which.
const ANY_CALL: Open = Open::Call(u32::MAX);

fn counted(open: Open) -> Open {
    if matches!(open, Open::Call(_)) { ANY_CALL } else { open }
}

impl Stack {
    pub fn apply(&mut self, record: Record) -> Step {
        match record.kind() {
            Kind::Enter => self.begin(Open::Method(record.id())),
            Kind::Call => self.begin(Open::Call(record.id())),
            Kind::Drain => self.begin(Open::Drain),
            Kind::Exit | Kind::Unwind => self.end(Open::Method(record.id())),
            Kind::Back | Kind::Fail => self.end(ANY_CALL),
            Kind::Drained => self.end(Open::Drain),
        }
    }

    fn begin(&mut self, open: Open) -> Step {
        self.open.push(open);
        *self.count.entry(counted(open)).or_default() += 1;
        Step::Begin(open)
    }

    fn end(&mut self, wanted: Open) -> Step {
        if self.count.get(&wanted).is_none_or(|count| *count == 0) {
            self.unmatched += 1;
            return Step::Nothing;
        }
        let mut ended = 0;
        while let Some(open) = self.open.pop() {
            ended += 1;
            let open = counted(open);
            if let Some(count) = self.count.get_mut(&open) {
                *count -= 1;
            }
            if open == wanted {
                break;
            }
            self.missing += 1;
        }
        Step::End(ended)
    }

    /// Returns the open items, outermost first.
    pub fn open(&self) -> &[Open] {
        &self.open
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    /// Records as letters with ids, and what they do: `+` with an id, or how many end.
    #[track_caller]
    fn check(records: &[(u8, u64)], steps: &[Step], unmatched: u64, missing: u64, open: usize) {
        let mut stack = Stack::default();
        let found: Vec<_> = records
            .iter()
            .map(|(letter, id)| stack.apply(Record::from_letter(0, *letter, *id).unwrap()))
            .collect();
        assert_eq!(found, steps);
        assert_eq!((stack.unmatched, stack.missing), (unmatched, missing));
        assert_eq!(stack.open().len(), open);
    }

    #[test]
    fn ends_find_their_beginnings() {
        use Step::{Begin, End, Nothing};
        let (one, two, call) =
            (Begin(Open::Method(1)), Begin(Open::Method(2)), Begin(Open::Call(9)));
        check(&[(b'E', 1), (b'C', 9), (b'B', 0), (b'X', 1)], &[one, call, End(1), End(1)], 0, 0, 0);
        // Recursion, left by an exception.
        check(&[(b'E', 1), (b'E', 1), (b'U', 1), (b'U', 1)], &[one, one, End(1), End(1)], 0, 0, 0);
        // The exit of 2 was lost, and the entry of 3.
        check(&[(b'E', 1), (b'E', 2), (b'X', 3), (b'X', 1)], &[one, two, Nothing, End(2)], 1, 1, 0);
        // A call that was lost does not end the method around it.
        check(&[(b'E', 1), (b'F', 0), (b'R', 0)], &[one, Nothing, Nothing], 2, 0, 1);
        let drain = Begin(Open::Drain);
        check(&[(b'D', 0), (b'R', 0)], &[drain, End(1)], 0, 0, 0);
    }
}
