//! The framework's own package.

use std::sync::Arc;

use crate::PhoneError;
use crate::core::Core;

/// Puts the framework package on the phone.
pub(crate) fn install(_core: &Arc<Core>) -> Result<(), PhoneError> {
    Ok(())
}
