//! Names of consumers for views that sum a ledger by themselves.

use std::collections::BTreeMap;

use wattle_ledger::{Account, Ledger};

use super::consumer_groups::AppGroups;

/// The consumers of a ledger by their names: an app is all processes of its uid, any other program its processes of one name. The rows of
/// consumers in a report have the same names.
#[derive(Clone, Debug, Default)]
pub struct ConsumerNames {
    names: Vec<String>,
    of_process: Vec<usize>,
    of_uid: BTreeMap<u32, usize>,
}

impl ConsumerNames {
    /// Those of a ledger.
    pub fn new(ledger: &Ledger) -> Self {
        let mut groups = AppGroups::new(ledger);
        let processes = 0..ledger.rows.processes.len();
        let of_process = processes.filter_map(|process| groups.of_process(process)).collect();
        let uids = ledger.rows.accounts.iter().filter_map(|account| match account {
            Account::App { uid } => Some(*uid),
            _ => None,
        });
        let of_uid = uids.map(|uid| (uid, groups.of_uid(uid))).collect();
        Self { names: groups.into_names(), of_process, of_uid }
    }

    /// The consumer of a process, by its index into the ledger's processes.
    pub fn of_process(&self, process: usize) -> Option<&str> {
        self.of_process.get(process).and_then(|number| self.names.get(*number)).map(String::as_str)
    }

    /// The consumer of a uid that pays as a whole.
    pub fn of_uid(&self, uid: u32) -> Option<&str> {
        self.of_uid.get(&uid).and_then(|number| self.names.get(*number)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use wattle_ledger::ProcessEntry;
    use wattle_timeline::Window;

    use super::*;

    #[test]
    fn a_uid_has_the_name_of_its_processes() {
        let mut ledger = Ledger::empty(Window::default());
        ledger.rows.processes.push(ProcessEntry {
            pid: Some(4000),
            name: "com.example.mail:sync".to_owned(),
            package: None,
            uid: Some(10_146),
        });
        ledger.rows.accounts.extend([Account::App { uid: 10_146 }, Account::App { uid: 10_147 }]);
        let names = ConsumerNames::new(&ledger);
        assert_eq!(names.of_process(0), Some("com.example.mail"));
        assert_eq!(names.of_uid(10_146), Some("com.example.mail"));
        assert_eq!(names.of_uid(10_147), Some("u0a147"));
        assert_eq!((names.of_process(1), names.of_uid(7)), (None, None));
    }
}
