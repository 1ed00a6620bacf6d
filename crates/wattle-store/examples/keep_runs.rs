//! Keeps runs one after the other, and prints the number of each when it is committed: `keep_runs STORE COUNT SEED`.
//!
//! Tests run several of them at once, kill them, and limit their disk.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "an example")]

#[path = "../tests/all/ledgers.rs"]
mod ledgers;

use std::io::Write as _;

use wattle_store::{Store, StoreLocation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("keep_runs STORE COUNT SEED");
    let location: StoreLocation = next().parse()?;
    let (count, seed): (u32, u32) = (next().parse()?, next().parse()?);
    let mut store = Store::open(&location)?;
    for number in 0..count {
        // Some runs have a ledger that another one has, too.
        let scale = f64::from(seed * 100_000 + number / 2);
        let id = store.keep(&ledgers::run(200, scale, u64::from(number)))?;
        println!("{}", id.0);
        std::io::stdout().flush()?;
    }
    Ok(())
}
