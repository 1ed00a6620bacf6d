//! Names of threads, processes and accounts where they are read by people.

use wattle_ledger::{Account, Ledger, ProcessEntry, ThreadEntry};

/// The process's name, else its number.
pub fn process(entry: &ProcessEntry) -> String {
    match (entry.name.as_str(), entry.pid) {
        ("", Some(pid)) => format!("process {pid}"),
        ("", None) => "unknown process".to_owned(),
        (name, _) => name.to_owned(),
    }
}

/// The thread's name, else its number.
pub fn thread(entry: &ThreadEntry) -> String {
    match entry.name.as_str() {
        "" => format!("thread {}", entry.tid),
        name => name.to_owned(),
    }
}

/// An account that is no call path's, as frames from the outermost: `interrupts`, `timer`.
pub fn account(ledger: &Ledger, account: &Account) -> Vec<String> {
    let class = format!("[{}]", account.class());
    match account {
        Account::App { uid } => {
            let package = ledger.rows.packages.iter().find(|package| package.uid == *uid);
            let app = package.map_or_else(|| format!("uid {uid}"), |package| package.name.clone());
            vec![class, app]
        }
        Account::Interrupts { handler } => vec![class, handler.clone()],
        _ => vec![class],
    }
}

/// Without characters that end a line, and without those that the format gives a meaning to.
pub fn plain(text: &str, reserved: &[char]) -> String {
    let replace = |c: char| match c {
        c if reserved.contains(&c) => ':',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(replace).collect()
}
