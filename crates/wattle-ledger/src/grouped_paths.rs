//! A ledger whose call paths differ by more than a number in their names.

use std::collections::BTreeMap;

use wattle_units::{CompensatedSum, Joules, sum_by_key};

use crate::{
    Account, AccountId, Booking, CallQuantiles, CallStats, EnergyBins, EnergyCell, Ledger,
    PathEntry, PathId, with_numbers_grouped,
};

impl Ledger {
    /// The same ledger with paths that differ by numbers in slice names alone as one path (see [`with_numbers_grouped`]); `None` where no
    /// slice has a number. Methods and sampled functions keep their names. Named stretches, such as single frames, are not changed.
    #[must_use]
    pub fn with_numbers_grouped(&self) -> Option<Self> {
        let changes = |path: &PathEntry| is_slice(path) && is_numbered(&path.name);
        if !self.rows.paths.iter().any(changes) {
            return None;
        }
        let mut ledger = self.clone();
        let of_path = ledger.group_paths();
        let map = |path: &mut PathId| {
            if let Some(new) = of_path.get(path.0 as usize) {
                *path = *new;
            }
        };
        for account in &mut ledger.rows.accounts {
            match account {
                Account::Path { path }
                | Account::Recorder { path }
                | Account::ProfilingOverhead { path: Some(path) } => map(path),
                _ => {}
            }
        }
        for stretch in &mut ledger.over_time.stretches {
            map(&mut stretch.path);
        }
        let paths = ledger.rows.paths.len();
        if let Some(tracks) = &mut ledger.over_time.tracks {
            tracks.cpu_time = tracks.cpu_time.regrouped(&of_path, paths);
        }
        ledger.merge_accounts();
        let stats = std::mem::take(&mut ledger.sheets.call_stats);
        ledger.sheets.call_stats = grouped_stats(stats);
        Some(ledger)
    }

    /// Merges paths; the result says by old path the new one.
    fn group_paths(&mut self) -> Vec<PathId> {
        type Key = (u32, Option<PathId>, String, Option<u32>, Option<u32>, Vec<u32>);
        let paths = std::mem::take(&mut self.rows.paths);
        let mut numbers: BTreeMap<Key, PathId> = BTreeMap::new();
        let mut of_path: Vec<PathId> = Vec::with_capacity(paths.len());
        for mut path in paths {
            // Callers come before their callees.
            path.caller = path.caller.and_then(|it| of_path.get(it.0 as usize).copied());
            if is_slice(&path) {
                path.name = with_numbers_grouped(&path.name).into_owned();
            }
            let next = PathId(self.rows.paths.len() as u32);
            let PathEntry { thread, caller, name, site, frame, from_lines, .. } = &path;
            let key = (*thread, *caller, name.clone(), *site, *frame, from_lines.clone());
            let number = *numbers.entry(key).or_insert(next);
            of_path.push(number);
            match self.rows.paths.get_mut(number.0 as usize) {
                Some(known) => merge(known, &path),
                None => self.rows.paths.push(path),
            }
        }
        of_path
    }

    /// Merges accounts that are equal, and the entries of them.
    fn merge_accounts(&mut self) {
        let accounts = std::mem::take(&mut self.rows.accounts);
        let mut numbers: BTreeMap<Account, AccountId> = BTreeMap::new();
        let mut of_account = Vec::with_capacity(accounts.len());
        for account in accounts {
            let next = AccountId(self.rows.accounts.len() as u32);
            let number = *numbers.entry(account.clone()).or_insert(next);
            if number == next {
                self.rows.accounts.push(account);
            }
            of_account.push(number);
        }
        let mut sums: BTreeMap<_, CompensatedSum> = BTreeMap::new();
        let key = |Booking { account, component, charge, source, .. }: &Booking| {
            let account = of_account.get(account.0 as usize).copied().unwrap_or(*account);
            (account, *component, *charge, *source)
        };
        for booking in &self.bookings {
            sums.entry(key(booking)).or_default().add(booking.joules.value());
        }
        let numbers: BTreeMap<_, usize> =
            (0..).zip(sums.keys()).map(|(at, key)| (*key, at)).collect();
        let numbers: Vec<Option<usize>> =
            self.bookings.iter().map(|booking| numbers.get(&key(booking)).copied()).collect();
        let cells = self.over_time.energy.as_ref().map(|table| {
            let grouped = table.cells(&self.bookings).filter_map(|cell| {
                let number = numbers.get(cell.booking).copied().flatten()?;
                Some(((number, cell.bin), cell.joules.value()))
            });
            let mut cells: Vec<((usize, u32), f64)> = grouped.collect();
            sum_by_key(&mut cells);
            cells
        });
        self.bookings = sums
            .into_iter()
            .map(|((account, component, charge, source), sum)| {
                let joules = Joules::new(sum.value());
                Booking { account, component, charge, source, joules }
            })
            .collect();
        if let (Some(table), Some(cells)) = (&mut self.over_time.energy, cells) {
            let cells: Vec<EnergyCell> = cells
                .into_iter()
                .map(|((booking, bin), joules)| EnergyCell {
                    booking,
                    bin,
                    joules: Joules::new(joules),
                })
                .collect();
            *table = EnergyBins::from_cells(table.bins, &self.bookings, &cells);
        }
    }
}

fn is_slice(path: &PathEntry) -> bool {
    path.site.is_none() && path.frame.is_none()
}

fn is_numbered(name: &str) -> bool {
    with_numbers_grouped(name) != name
}

fn merge(known: &mut PathEntry, path: &PathEntry) {
    known.calls = known.calls.saturating_add(path.calls);
    known.self_cpu += path.self_cpu;
    known.probe_cpu += path.probe_cpu;
    known.wall += path.wall;
    known.samples = known.samples.saturating_add(path.samples);
    known.clock_cpu = match (known.clock_cpu, path.clock_cpu) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
}

/// Quantiles of single calls by their grouped names. Those of several names are known where each was called once, so that its
/// quantiles are the call itself; of others there are none.
fn grouped_stats(stats: Vec<CallStats>) -> Vec<CallStats> {
    let mut by_name: BTreeMap<(String, Option<u32>), Vec<CallStats>> = BTreeMap::new();
    for of_name in stats {
        let name = match of_name.site {
            None => with_numbers_grouped(&of_name.name).into_owned(),
            Some(_) => of_name.name.clone(),
        };
        by_name.entry((name, of_name.site)).or_default().push(of_name);
    }
    let group = |((name, site), mut stats): ((String, Option<u32>), Vec<CallStats>)| {
        if stats.len() == 1 {
            return stats.pop().map(|only| CallStats { name, ..only });
        }
        if stats.iter().any(|one| one.calls > 1) {
            return None;
        }
        let calls = stats.iter().map(|one| one.calls).sum();
        let joules = quantiles(stats.iter().filter_map(|one| one.joules));
        let api_joules = quantiles(stats.iter().filter_map(|one| one.api_joules));
        Some(CallStats { site, name, calls, joules, api_joules })
    };
    by_name.into_iter().filter_map(group).collect()
}

/// Quantiles of single calls by nearest rank.
fn quantiles(calls: impl Iterator<Item = CallQuantiles>) -> Option<CallQuantiles> {
    let mut joules: Vec<Joules> = calls.map(|call| call.max).collect();
    joules.sort_by(|one, other| one.value().total_cmp(&other.value()));
    let at = |percent: usize| {
        joules.get((joules.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    };
    Some(CallQuantiles { p50: at(50)?, p95: at(95)?, max: at(100)? })
}
