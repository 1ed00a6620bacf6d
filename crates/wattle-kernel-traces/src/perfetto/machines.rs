//! Packets of other machines than the one that records: guests whose recorders send theirs to the host's.
//!
//! A timeline is of one machine, so they are set apart, and counted by machine. CPUs, threads and clocks of several machines
//! have the same numbers.

use std::collections::BTreeMap;

use wattle_timeline::{Note, Severity};

/// Machines that are counted one by one.
const MAX_MACHINES: usize = 64;

/// Packets of other machines.
#[derive(Debug, Default)]
pub(super) struct OtherMachines {
    by_machine: BTreeMap<u64, u64>,
    /// Of those that are too many.
    further: u64,
}

impl OtherMachines {
    /// Counts a packet.
    pub fn add(&mut self, machine: u64) {
        if self.by_machine.len() >= MAX_MACHINES && !self.by_machine.contains_key(&machine) {
            self.further += 1;
        } else {
            *self.by_machine.entry(machine).or_default() += 1;
        }
    }

    /// A note for all machines, largest first; `None` if there are no others.
    pub fn into_note(self) -> Option<Note> {
        let mut machines: Vec<_> = self.by_machine.into_iter().collect();
        machines.sort_by_key(|(machine, count)| (std::cmp::Reverse(*count), *machine));
        let all = machines.iter().map(|(_, count)| count).sum::<u64>() + self.further;
        let of_machine =
            |(machine, count): &(u64, u64)| format!("machine {machine} {}", grouped(*count));
        let mut parts: Vec<_> = machines.iter().map(of_machine).collect();
        if self.further > 0 {
            parts.push(format!("further machines {}", grouped(self.further)));
        }
        // A part of the recording was not used, which the first lines of a report say.
        let text = format!(
            "packets of other machines than the one that recorded are not read: {}",
            parts.join(", ")
        );
        (all > 0).then(|| Note::new(Severity::Error, "other-machines", text).times(all))
    }
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_counted_one_by_one() {
        let mut others = OtherMachines::default();
        for _ in 0..1_204 {
            others.add(3);
        }
        others.add(1_001);
        let note = others.into_note().expect("there are others");
        assert_eq!((note.count, note.severity), (1_205, Severity::Error));
        assert!(note.text.ends_with(": machine 3 1,204, machine 1001 1"), "{}", note.text);
        assert!(OtherMachines::default().into_note().is_none());
    }

    #[test]
    fn there_is_an_end_to_machines() {
        let mut others = OtherMachines::default();
        for machine in 1..=100 {
            others.add(machine);
        }
        let note = others.into_note().expect("there are others");
        assert_eq!(note.count, 100);
        assert!(note.text.ends_with("further machines 36"), "{}", note.text);
    }
}
