//! The budget of what packed input of one run may unpack to: archives, streams, packed records, debug sections.
//!
//! ```
//! use std::io::Read as _;
//! use wattle_unpack::UnpackBudget;
//!
//! let budget = UnpackBudget::new(Some(1000));
//! let unpacker = std::io::repeat(0);
//! let mut bytes = Vec::new();
//! budget.reader(unpacker).read_to_end(&mut bytes)?;
//! assert_eq!((bytes.len(), budget.is_exceeded()), (1000, true));
//! # Ok::<(), std::io::Error>(())
//! ```

mod budgeted_reader;
mod counted_input;
mod unpack_budget;

pub use budgeted_reader::BudgetedReader;
pub use counted_input::CountedInput;
pub use unpack_budget::UnpackBudget;
