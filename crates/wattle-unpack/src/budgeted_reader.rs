//! An unpacker within a budget.

use std::io::{self, Read};

use crate::UnpackBudget;

/// An unpacker whose bytes are taken off a budget; past it, it ends.
#[derive(Debug)]
pub struct BudgetedReader<R> {
    pub(crate) unpacker: R,
    pub(crate) budget: UnpackBudget,
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
