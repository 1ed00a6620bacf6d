//! Whether what a ledger file says of samples and of time is consistent.

use crate::check::{points, refuse};
use crate::{Ledger, LedgerError};

impl Ledger {
    /// That paths of samples point to frames, and stretches to paths and components.
    pub(crate) fn check_samples(&self) -> Result<(), LedgerError> {
        for (index, path) in self.rows.paths.iter().enumerate() {
            if let Some(frame) = path.frame {
                points(("path", index), "frame", frame as usize, self.rows.frames.len())?;
            }
        }
        let components = self.rows.components.len();
        for (index, stretch) in self.over_time.stretches.iter().enumerate() {
            points(("stretch", index), "path", stretch.path.0 as usize, self.rows.paths.len())?;
            let component = usize::from(stretch.component.0);
            points(("stretch", index), "component", component, components)?;
            if !stretch.joules.value().is_finite() {
                refuse("stretch", index, "its energy is no number".to_owned())?;
            }
        }
        Ok(())
    }
}
