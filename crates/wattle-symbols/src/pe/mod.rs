//! PE files (`.exe`, `.dll`, `.sys`): which address is of which function, without the `.pdb`.

mod identity;
mod image;

pub(crate) use identity::{PeIdentity, file_name, is_pe_name};
pub use image::PeImage;
