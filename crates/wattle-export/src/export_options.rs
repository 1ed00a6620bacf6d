//! Options of an export.

use crate::{EnergyUnit, TableKind};

/// Options of an export.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// The unit of formats that count in whole numbers. Default is microjoules for collapsed stacks, millijoules
    /// for pprof, nanojoules for others.
    pub unit: Option<EnergyUnit>,
    /// Whether names of collapsed stacks are marked by their kind. Default is `false`.
    pub annotate: bool,
    /// Which table, of formats that are tables. Default is all of them, as an archive, which only CSV can be.
    pub table: Option<TableKind>,
}
