//! The new form of a method body of the source.

use crate::{Code, MethodSite, Result, Wrapping};

/// The new form of a method body of the source.
#[derive(Clone, Debug, PartialEq)]
pub enum NewCode {
    /// It stays.
    Same,
    /// It gets other code.
    Replaced(Code),
    /// It gets the instructions around it that the [`Wrapping`] has which was handed over. Most bodies are not decoded for
    /// that; those without line program get one as with [`Code::decode_with_lines`].
    Wrapped,
}

/// Decides for each method. The wrapping is empty when it is called.
pub(crate) type Rewrite<'r> = dyn Fn(&MethodSite<'_>, &mut Wrapping) -> Result<NewCode> + Sync + 'r;
