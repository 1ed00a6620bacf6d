//! Units of work, counted in tests: no stage may grow faster than its input.

#[cfg(test)]
thread_local! {
    static UNITS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One slice, change or piece was looked at. Does nothing outside of tests.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must not exist outside of tests")]
pub(crate) fn count() {
    #[cfg(test)]
    UNITS.with(|units| units.set(units.get() + 1));
}

/// The units of work that a function takes on this thread.
#[cfg(test)]
pub(crate) fn during<T>(run: impl FnOnce() -> T) -> u64 {
    let before = UNITS.with(std::cell::Cell::get);
    run();
    UNITS.with(std::cell::Cell::get) - before
}
