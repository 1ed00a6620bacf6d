//! Input of unknown length.

use std::io::{self, Read};

use crate::UnpackBudget;

/// A stream of unknown length whose bytes are counted as input.
#[derive(Debug)]
pub struct CountedInput<R> {
    stream: R,
    budget: UnpackBudget,
}

impl UnpackBudget {
    /// A stream of unknown length, each byte of which is input.
    pub fn input<R: Read>(&self, stream: R) -> CountedInput<R> {
        CountedInput { stream, budget: self.clone() }
    }
}

impl<R: Read> Read for CountedInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.budget.add_input(read as u64);
        Ok(read)
    }
}
