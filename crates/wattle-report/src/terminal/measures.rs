//! The columns that tables of the app's code have in common.

use super::cells::{NO_DATA, grouped, joules, percent};
use super::style::Style::{self, Dim, Plain, Strong};
use super::table::Align::{self, Right};
use crate::Figure;

/// Which columns there is something to say in.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// Energies of the ledger.
    pub energy: bool,
    /// Energies by tables of API costs.
    pub api: bool,
    /// Those come first, because the ledger has none.
    pub api_leads: bool,
}

/// What a row has to say in them.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Own, total, mean of the ledger.
    pub ledger: [Figure; 3],
    pub share: Option<f64>,
    /// The same by tables.
    pub api: [Figure; 3],
    pub api_share: Option<f64>,
    pub calls: Option<u64>,
}

impl Measures {
    /// Looks at all rows.
    pub fn of(rows: &[Measured], api_leads: bool) -> Self {
        let energy = rows.iter().any(|row| row.ledger[1].0.is_some());
        let api = rows.iter().any(|row| row.api[1].0.is_some());
        Self { energy, api, api_leads }
    }

    /// Headings. With both energies the API energy is one column, to leave room for names.
    pub fn columns(self) -> Vec<(&'static str, Align, Style)> {
        let mut columns = Vec::new();
        if self.api_leads {
            columns.extend([
                ("API self", Right, Strong),
                ("API total", Right, Strong),
                ("share", Right, Plain),
            ]);
        } else if self.energy {
            columns.extend([
                ("self", Right, Strong),
                ("total", Right, Strong),
                ("share", Right, Plain),
            ]);
        }
        if self.api && !self.api_leads {
            columns.push(("API energy", Right, Plain));
        }
        columns.push(("calls", Right, Plain));
        if self.api_leads {
            columns.push(("API mean", Right, Plain));
            if self.energy {
                columns.push(("total", Right, Dim));
            }
        } else if self.energy {
            columns.push(("mean", Right, Plain));
        }
        columns
    }

    /// The cells under them.
    pub fn cells(self, row: &Measured) -> Vec<String> {
        let mut cells = Vec::new();
        if self.api_leads {
            cells.extend([joules(row.api[0]), joules(row.api[1]), percent(row.api_share)]);
        } else if self.energy {
            cells.extend([joules(row.ledger[0]), joules(row.ledger[1]), percent(row.share)]);
        }
        if self.api && !self.api_leads {
            cells.push(joules(row.api[1]));
        }
        cells.push(row.calls.map_or(NO_DATA.into(), grouped));
        if self.api_leads {
            cells.push(joules(row.api[2]));
            if self.energy {
                cells.push(joules(row.ledger[1]));
            }
        } else if self.energy {
            cells.push(joules(row.ledger[2]));
        }
        cells
    }
}

/// `Main.onCreate` of `com.example.Main.onCreate(I)V`: class and method without package.
pub fn short(name: &str, package: Option<&str>) -> String {
    let rest = package.and_then(|package| name.strip_prefix(package)?.strip_prefix('.'));
    super::cells::name(rest.unwrap_or(name))
}
