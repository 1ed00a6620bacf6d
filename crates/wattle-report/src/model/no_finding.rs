//! The sentence that there is no finding.

use wattle_diagnose::RuleCoverage;

/// The words where nothing was found: with the number of rules that could look, where some could not.
pub(crate) fn no_finding(rules: RuleCoverage) -> String {
    let lacks = match (rules.without_data, rules.without_idle) {
        (0, 0) => return "none".to_owned(),
        (data, 0) => format!("{data} lack data"),
        (0, idle) => format!("{idle} lack a known idle time"),
        (data, idle) => format!("{data} lack data, {idle} a known idle time"),
    };
    match (rules.looked, rules.asked()) {
        (0, asked) => format!("not looked for: none of {asked} rules could ({lacks})"),
        (looked, asked) => format!("none; {looked} of {asked} rules could look ({lacks})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_many_rules_could_look() {
        let check = |looked, without_data, without_idle, expected: &str| {
            let rules = RuleCoverage { looked, without_data, without_idle };
            assert_eq!(no_finding(rules), expected);
        };
        check(37, 0, 0, "none");
        check(5, 28, 4, "none; 5 of 37 rules could look (28 lack data, 4 a known idle time)");
        check(33, 4, 0, "none; 33 of 37 rules could look (4 lack data)");
        check(33, 0, 4, "none; 33 of 37 rules could look (4 lack a known idle time)");
        check(0, 37, 0, "not looked for: none of 37 rules could (37 lack data)");
    }
}
