//! Input of unknown length.

use std::io::{self, Read};

use crate::UnpackBudget;

/// A stream of unknown length whose bytes are counted as input.
#[derive(Debug)]
pub struct CountedInput<R> {
    pub(crate) stream: R,
    pub(crate) budget: UnpackBudget,
}

impl<R: Read> Read for CountedInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.budget.add_input(read as u64);
        Ok(read)
    }
}
