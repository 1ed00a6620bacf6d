//! Event trace logs of Windows (ETL).

#![allow(dead_code, reason = "unpacking comes before the reader that asks for it")]

mod bytes;
mod compress;
mod event;
mod schema;
