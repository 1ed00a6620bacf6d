//! Which columns of a table are parameters.

use wattle_power::ParameterName;

use crate::CalibrateError;

/// One column as a parameter: `COLUMN`, `COLUMN=PARAMETER`, `COLUMN*FACTOR=PARAMETER`.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnChoice {
    /// The column's name in the table.
    pub column: String,
    /// Factor that converts its values to the parameter's unit.
    pub factor: f64,
    /// The parameter's name in the device model.
    pub parameter: String,
}

impl std::str::FromStr for ColumnChoice {
    type Err = CalibrateError;

    fn from_str(text: &str) -> Result<Self, CalibrateError> {
        let wrong = || CalibrateError::Request {
            what: "--parameters",
            expected: "COLUMN, COLUMN=PARAMETER or COLUMN*FACTOR=PARAMETER, separated by commas"
                .to_owned(),
            found: format!("{text:?}"),
        };
        let (left, parameter) = match text.split_once('=') {
            Some((left, parameter)) => (left, Some(parameter.trim())),
            None => (text, None),
        };
        let (column, factor) = match left.rsplit_once('*') {
            Some((column, factor)) => {
                let factor: f64 = factor.trim().parse().map_err(|_| wrong())?;
                (column, factor)
            }
            None => (left, 1.0),
        };
        let column = column.trim();
        let parameter = parameter.unwrap_or(column);
        if column.is_empty() || parameter.is_empty() || !factor.is_finite() || factor == 0.0 {
            return Err(wrong());
        }
        Ok(Self { column: column.to_owned(), factor, parameter: parameter.to_owned() })
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
    fn a_choice_names_column_factor_and_parameter() {
        let check = |text: &str, expected: Option<(&str, f64, &str)>| {
            let found = text.parse::<ColumnChoice>().ok();
            let found = found.as_ref().map(|c| (c.column.as_str(), c.factor, c.parameter.as_str()));
            assert_eq!(found, expected, "{text}");
        };
        check("cpu.busy", Some(("cpu.busy", 1.0, "cpu.busy")));
        check("big=cpu.policy6.ghz", Some(("big", 1.0, "cpu.policy6.ghz")));
        check("BIG_KHz*1e-6=cpu.policy6.ghz", Some(("BIG_KHz", 1e-6, "cpu.policy6.ghz")));
        check("a*b=c", None);
        check("a*0=c", None);
        check("=c", None);
        check("", None);
    }
}
