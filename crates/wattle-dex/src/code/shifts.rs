//! Places of the units of a body once something is put between them.

/// By how many units addresses of a body move.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    /// The first address that moves by so many units, ascending by both.
    steps: Vec<(u32, u32)>,
}

impl Shifts {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Puts units in front of an address, which is not less than those before.
    pub(super) fn add(&mut self, at: u32, units: u32) {
        let total = self.total().saturating_add(units);
        match self.steps.last_mut() {
            Some(last) if last.0 == at => last.1 = total,
            _ => self.steps.push((at, total)),
        }
    }

    /// The units that were put in anywhere.
    pub(super) fn total(&self) -> u32 {
        self.steps.last().map_or(0, |&(_, total)| total)
    }

    /// The new address of an old one.
    pub(super) fn moved(&self, at: u32) -> u32 {
        // Most bodies have one return and few strings with large numbers.
        let by = match self.steps.as_slice() {
            [] => 0,
            [.., (last, total)] if at >= *last => *total,
            steps => {
                let after = steps.partition_point(|&(from, _)| from <= at);
                after.checked_sub(1).and_then(|it| steps.get(it)).map_or(0, |&(_, by)| by)
            }
        };
        at.saturating_add(by)
    }
}

#[cfg(test)]
mod tests {
    use super::Shifts;

    #[test]
    fn addresses_move_by_all_that_is_in_front_of_them() {
        let mut shifts = Shifts::default();
        assert_eq!((shifts.moved(7), shifts.total()), (7, 0));
        shifts.add(0, 5);
        shifts.add(4, 3);
        shifts.add(4, 1);
        shifts.add(9, 2);
        let moved = [0, 3, 4, 8, 9, 100].map(|at| shifts.moved(at));
        assert_eq!(moved, [5, 8, 13, 17, 20, 111]);
        assert_eq!(shifts.total(), 11);
        shifts.clear();
        assert_eq!(shifts.moved(9), 9);
    }
}
