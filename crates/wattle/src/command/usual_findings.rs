//! Findings beside a report.

use wattle_diagnose::{
    DiagnoseError, DiagnoseOptions, Diagnosis, DiagnosisParts, Input, ProcessChoice,
};
use wattle_timeline::Window;

use super::accepted_findings::AcceptedFindings;
use crate::exit::Failure;

/// Whether findings are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Findings {
    /// No view shows them.
    #[default]
    None,
    /// A view shows them; a recording in which they cannot be looked for has none.
    Usual,
    /// A page shows them, with regions; else as usual.
    OnPage,
    /// The command line asks for them.
    Asked,
}

impl Findings {
    /// Looks for them in what apps did, and moves those aside that are accepted.
    pub fn find(
        self,
        input: Input<'_>,
        apps: &[String],
        window: Option<Window>,
        accepted: &AcceptedFindings,
    ) -> Result<Option<Diagnosis>, Failure> {
        if self == Self::None {
            return Ok(None);
        }
        let mut options = DiagnoseOptions::default();
        options.processes = apps.iter().map(|app| ProcessChoice::Name(app.clone())).collect();
        options.window = window;
        if self == Self::Usual {
            options.parts = DiagnosisParts::Findings;
        }
        match (wattle_diagnose::diagnose(input, &options), self) {
            (Ok(mut found), _) => {
                accepted.accept(&mut found)?;
                Ok(Some(found))
            }
            // An app without a process is the report's to say.
            (Err(DiagnoseError::NoSuchProcess { .. }), Self::Usual | Self::OnPage) => Ok(None),
            (Err(error), _) => Err(Failure::Usage(error.into())),
        }
    }
}
