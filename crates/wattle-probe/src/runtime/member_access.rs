//! Flags of the runtime's methods.

use wattle_dex::AccessFlags;

/// The app's classes call some, the rest costs nothing by being public.
pub(super) const STATIC: AccessFlags = AccessFlags(AccessFlags::PUBLIC.0 | AccessFlags::STATIC.0);
