//! Whether options make sense.

use wattle_units::Nanos;

use crate::{DiagnoseError, DiagnoseOptions, RegionOptions, StackOptions};

/// A number, what it has to be, and whether it is.
type Check = (&'static str, f64, &'static str, fn(f64) -> bool);

/// Says which option is outside of what makes sense.
pub(crate) fn check(options: &DiagnoseOptions) -> Result<(), DiagnoseError> {
    let RegionOptions {
        cluster_gap,
        cluster_gap_medians,
        window,
        overlap,
        thread_factor,
        process_factor,
        repetition_factor,
        single_deviations,
        single_factor,
        least_cpu_use,
        least_events: _,
        significance,
        hot_cpu_use,
        storm_rate,
        regular_events,
        regular_share,
        regular_tolerance,
        longest_period,
        single_least,
        most_regions: _,
    } = options.regions;
    let StackOptions { majority } = options.stacks;
    let milliseconds = Nanos::milliseconds;
    let positive: fn(f64) -> bool = |it| it > 0.0;
    let any: fn(f64) -> bool = |it| it >= 0.0;
    let part: fn(f64) -> bool = |it| (0.0..=1.0).contains(&it);
    let (above, none, share) = ("more than 0", "0 or more", "0 to 1");
    let checks: [Check; 19] = [
        ("--cluster-gap", milliseconds(cluster_gap), none, any),
        ("--cluster-gap-medians", cluster_gap_medians, none, any),
        ("--region-window", milliseconds(window), above, positive),
        ("--region-overlap", overlap, "0 to 0.95", |it| (0.0..=0.95).contains(&it)),
        ("--thread-factor", thread_factor, none, any),
        ("--process-factor", process_factor, none, any),
        ("--repetition-factor", repetition_factor, none, any),
        ("--single-deviations", single_deviations, none, any),
        ("--single-factor", single_factor, none, any),
        ("--least-cpu-use", least_cpu_use, share, part),
        ("--significance", significance, none, any),
        ("--hot-cpu-use", hot_cpu_use, above, positive),
        ("--storm-rate", storm_rate, above, positive),
        ("--regular-events", f64::from(regular_events), "4 or more", |it| it >= 4.0),
        ("--regular-share", regular_share, share, part),
        ("--regular-tolerance", regular_tolerance, share, part),
        ("--longest-period", milliseconds(longest_period), none, any),
        ("--single-least", milliseconds(single_least), none, any),
        ("--majority", majority, "above 0.5 to 1", |it| it > 0.5 && it <= 1.0),
    ];
    for (option, value, expected, is_fine) in checks {
        if !is_fine(value) || value.is_nan() {
            return Err(DiagnoseError::BadOption { option, expected, found: value.to_string() });
        }
    }
    Ok(())
}
