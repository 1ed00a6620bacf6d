//! Method traces of the Android runtime and of Dalvik before it: every entry and exit of every method, by thread.
//!
//! What they are called elsewhere: `.trace` files of `Debug.startMethodTracing`, `am profile start` and Android Studio, `SLOW` files by their
//! magic, dmtrace files by the tool that prints them. Written by `art/runtime/trace.cc`, before by `dalvik/vm/Profile.cpp`.

mod action;
mod call_log;
mod clock;
mod data_header;
mod keys;
mod leb128;
mod method_line;
mod method_table;
mod packets;
mod pairs;
mod read;
mod records;
mod source;
mod tell;
mod thread_log;
mod threads;

pub(crate) use read::{SIGNATURES, read};
pub(crate) use tell::{Among, MethodTraces};
