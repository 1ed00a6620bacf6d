//! Progress of reading.

/// Is told how far reading is, some ten times a megabyte at most.
pub trait Progress {
    /// `done` bytes of the input were read, of `total` if that is known. For packed input both count
    /// unpacked bytes and the total is not known.
    fn advance(&mut self, done: u64, total: Option<u64>);
}

/// Does not want to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn advance(&mut self, _done: u64, _total: Option<u64>) {}
}

impl<F: FnMut(u64, Option<u64>)> Progress for F {
    fn advance(&mut self, done: u64, total: Option<u64>) {
        self(done, total);
    }
}
