//! Common beginnings of the stacks of a region.

mod frame_texts;
mod gather;
mod groups;
mod open_sections;
mod prefix_tree;

pub(crate) use frame_texts::{FrameTexts, TextId, text as frame_text};
pub(crate) use gather::{Stacks, ThreadStacks, gather};
pub(crate) use groups::group;
pub(crate) use prefix_tree::PrefixTree;
