//! PE files (`.exe`, `.dll`, `.sys`): which address is of which function, without the `.pdb`.

mod pe_identity;
mod pe_image;

pub(crate) use pe_identity::{PeIdentity, file_name, is_pe_name};
pub use pe_image::PeImage;
