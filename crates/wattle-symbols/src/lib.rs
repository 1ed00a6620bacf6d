//! Names of sampled addresses and of shrunk methods.
//!
//! A recorder writes what it could find on the device: often an address in a file, or a name that a shrinker made. This crate
//! finds the rest where it can: symbol tables and lines of ELF files (also `.gnu_debugdata`), inlined functions, and
//! `mapping.txt` of R8 and ProGuard. It changes frames of a timeline and nothing else.
