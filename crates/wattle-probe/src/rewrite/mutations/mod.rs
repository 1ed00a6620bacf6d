//! Faults that a rewriter could plant, and that the verifier must find.

mod byte_faults;
mod code_faults;
mod fault;
mod frame_faults;
mod run;
mod samples;
mod second_opinion;
mod tests;
mod wrapped;
