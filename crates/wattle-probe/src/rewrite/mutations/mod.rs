//! Faults that a rewriter could plant, and that the verifier must find.

mod byte_faults;
mod code_faults;
mod frame_faults;
mod injected_fault;
mod mutation_run;
mod mutation_samples;
mod second_opinion;
mod tests;
mod wrapped;
