//! Starts a simulated phone, prints where it is, and runs until its standard input ends.
//!
//! `cargo run -p wattle-phone --example phone -- path/to/wattle-phone-tool [package.apk …]`, then `adb connect` to it
//! with a server that was started with `ADB_VENDOR_KEYS` as printed.

use std::error::Error;
use std::io::{Read as _, Write as _};

use wattle_phone::{Phone, PhoneOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let mut options = PhoneOptions::default();
    options.tool = arguments.next().into_iter().collect();
    options.packages = arguments.map(Into::into).collect();
    let phone = Phone::start(options)?;
    writeln!(std::io::stdout(), "{}", phone.address())?;
    writeln!(std::io::stdout(), "ADB_VENDOR_KEYS={}", phone.adb_key().display())?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
