//! An unpacker within a budget.

use std::io::{self, Read};

use crate::UnpackBudget;

/// An unpacker whose bytes are taken off a budget; past it, it ends.
#[derive(Debug)]
pub struct BudgetedReader<R> {
    unpacker: R,
    budget: UnpackBudget,
}

impl UnpackBudget {
    /// An unpacker that ends at the limit.
    pub fn reader<R: Read>(&self, unpacker: R) -> BudgetedReader<R> {
        BudgetedReader { unpacker, budget: self.clone() }
    }

    /// Unpacks to the end, to at most `most` bytes, each of which is taken off the budget.
    ///
    /// # Errors
    /// Those of the unpacker. What was unpacked before is in `unpacked`, and taken off, too.
    pub fn read_to_end(
        &self,
        unpacker: impl Read,
        most: u64,
        unpacked: &mut Vec<u8>,
    ) -> io::Result<usize> {
        self.reader(unpacker.take(most)).read_to_end(unpacked)
    }
}

impl<R: Read> Read for BudgetedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.budget.is_exceeded() {
            return Ok(0);
        }
        let read = self.unpacker.read(buffer)?;
        let left = usize::try_from(self.budget.left()).unwrap_or(usize::MAX);
        self.budget.take(read as u64);
        Ok(read.min(left))
    }
}
