//! The language server: joules beside the methods of Kotlin, Java and native code.
//!
//! [`source`] finds the methods that a text declares, under the names of the virtual machine; [`digest`] is the energies of a project's latest
//! runs, in the form in which another process of this program hands them over; [`tracking`] leads from the code that ran to the
//! code on the screen.

pub mod digest;
pub mod documents;
pub mod energy;
pub mod server;
pub mod source;
mod text_lines;
pub mod tracking;
