//! A fault of a rewriter.

use wattle_dex::{CodeItem, Dex};

use super::wrapped::Wrapped;

/// A fault of a rewriter.
pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) plant: Plant,
}

/// The way in which a fault comes into a method.
pub(super) enum Plant {
    /// Into what the rewriter yields.
    Code(fn(&mut Wrapped) -> Planted),
    /// Into the bytes of the file, at one method's code.
    Bytes(fn(&mut [u8], &Dex<'_>, &CodeItem<'_>) -> Planted),
}

/// The outcome of injecting a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planted {
    /// The method has nothing that the fault could be planted in; it is as it was.
    Nowhere,
    /// It is planted, and the method may still be sound: no verifier could tell.
    Harmless,
    /// It is planted, and no verifier may let it pass.
    Fatal,
}

impl Planted {
    /// Of a fault that is planted.
    pub(super) fn fatal_if(fatal: bool) -> Self {
        if fatal { Self::Fatal } else { Self::Harmless }
    }
}
