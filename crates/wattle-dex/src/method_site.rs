//! Methods of a source file that may get new code.

use crate::{AccessFlags, ClassIndex, CodeItem, DexError, MethodId};

/// A method of the source that may get new code.
#[derive(Clone, Copy, Debug)]
pub struct MethodSite<'a> {
    /// The class.
    pub class: ClassIndex,
    /// The method.
    pub method: MethodId,
    /// Its flags.
    pub access: AccessFlags,
    /// Its body.
    pub code: CodeItem<'a>,
}

/// Called when a method cannot get its new code, with the reason.
pub(crate) type Refused<'r> = dyn Fn(&MethodSite<'_>, DexError) + Sync + 'r;
