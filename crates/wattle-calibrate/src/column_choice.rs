//! Which columns of a table are parameters.

use wattle_power::ParameterName;

use crate::CalibrateError;

/// One column or formula as a parameter: `COLUMN`, `COLUMN=PARAMETER`, `FORMULA=PARAMETER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    /// The column's name in the table, or a [`Formula`](crate::Formula) over columns.
    pub formula: String,
    /// The parameter's name in the device model.
    pub parameter: String,
}

impl std::str::FromStr for ColumnChoice {
    type Err = CalibrateError;

    fn from_str(text: &str) -> Result<Self, CalibrateError> {
        let (formula, parameter) = text.rsplit_once('=').unwrap_or((text, text));
        let (formula, parameter) = (formula.trim(), parameter.trim());
        if formula.is_empty() || parameter.is_empty() {
            return Err(CalibrateError::Request {
                what: "--parameters",
                expected: "COLUMN, COLUMN=PARAMETER or FORMULA=PARAMETER, separated by commas"
                    .to_owned(),
                found: format!("{text:?}"),
            });
        }
        Ok(Self { formula: formula.to_owned(), parameter: parameter.to_owned() })
    }
}

impl ColumnChoice {
    /// The parameter's unit by its name; empty where the name does not tell.
    pub fn unit(&self) -> &'static str {
        ParameterName::from(self.parameter.as_str()).unit().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_names_formula_and_parameter() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = text.parse::<ColumnChoice>().ok();
            let found = found.as_ref().map(|c| (c.formula.as_str(), c.parameter.as_str()));
            assert_eq!(found, expected, "{text}");
        };
        check("cpu.busy", Some(("cpu.busy", "cpu.busy")));
        check("big = cpu.policy6.ghz", Some(("big", "cpu.policy6.ghz")));
        check("BIG_KHz*1e-6=cpu.policy6.ghz", Some(("BIG_KHz*1e-6", "cpu.policy6.ghz")));
        check("red^2.2*brightness", Some(("red^2.2*brightness", "red^2.2*brightness")));
        check("=c", None);
        check("a=", None);
        check("", None);
    }
}
