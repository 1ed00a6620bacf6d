//! Call paths from sampled stacks.
//!
//! ```text
//! on CPU   ────────┐      ┌─────────────────────────────┐
//! samples       s1       s2          s3
//! innermost  s1 │ s2      │    s3     │  s3   │ not sampled
//! ```
//! A sample stands for the time on a CPU before it, back to the thread's sample before. How far one reaches is limited:
//! where samples were lost, what nobody saw is *not sampled*, and no stack is made to stand for it.

mod chosen_samples;
mod frame_table;
mod sample_reach;
mod sampled_threads;
mod unnamed_modules;

pub(crate) use frame_table::FrameTable;
pub(crate) use sampled_threads::SampledThreads;
