//! Two rows of pieces at once.
//!
//! ```text
//! time      0    2    5    7    9    12
//! one       ├────a────┼────b────┤
//! other          ├────x────┼────y────┤
//! visited        ├─ax─┼─bx─┼─by─┤
//! ```
//! Power over time and the occupants of a core are both piecewise constant, so the energy of an occupant is a sum over the visited
//! stretches: `E = Σ P(stretch) · length(stretch)`, with neither `P` nor the occupant changing inside of one. Nothing is sampled or
//! rounded to a grid.
//!
//! Each step visits the overlap of the two current pieces and leaves the piece that ends first (both, if they end together): the other
//! one can still overlap with what follows. So every step consumes a piece, and `n` and `m` pieces take at most `n + m` steps. Where a
//! row has a gap, nothing is visited.

use wattle_timeline::Window;

use super::work;

/// Visits every stretch of time over which neither of two rows of pieces changes and both have one. The
/// pieces of a row come in order of time and do not overlap.
#[inline]
pub(crate) fn both<A: Copy, B: Copy>(
    one: impl IntoIterator<Item = (Window, A)>,
    other: impl IntoIterator<Item = (Window, B)>,
    mut visit: impl FnMut(Window, A, B),
) {
    let mut one = one.into_iter();
    let mut other = other.into_iter();
    let (mut a, mut b) = (one.next(), other.next());
    while let (Some((of_a, with_a)), Some((of_b, with_b))) = (a, b) {
        work::count();
        let start = of_a.start.max(of_b.start);
        let end = of_a.end.min(of_b.end);
        if start < end {
            visit(Window { start, end }, with_a, with_b);
        }
        if of_a.end <= of_b.end {
            a = one.next();
        }
        if of_b.end <= of_a.end {
            b = other.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;

    fn row(pieces: &[(i64, i64, char)]) -> Vec<(Window, char)> {
        let window = |start, end| Window::new(BootNanos::new(start), BootNanos::new(end));
        pieces.iter().map(|(start, end, what)| (window(*start, *end), *what)).collect()
    }

    #[track_caller]
    fn check(one: &[(i64, i64, char)], other: &[(i64, i64, char)], expected: &[(i64, i64, &str)]) {
        let mut found = Vec::new();
        both(row(one), row(other), |window, a, b| {
            found.push((window.start.value(), window.end.value(), format!("{a}{b}")));
        });
        let expected: Vec<_> = expected.iter().map(|(s, e, w)| (*s, *e, (*w).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn both_rows_are_cut_where_either_changes() {
        check(&[], &[(0, 9, 'x')], &[]);
        check(&[(0, 9, 'a')], &[(0, 9, 'x')], &[(0, 9, "ax")]);
        check(
            &[(0, 5, 'a'), (5, 9, 'b')],
            &[(2, 7, 'x'), (7, 12, 'y')],
            &[(2, 5, "ax"), (5, 7, "bx"), (7, 9, "by")],
        );
        check(&[(0, 2, 'a'), (6, 9, 'b')], &[(1, 8, 'x')], &[(1, 2, "ax"), (6, 8, "bx")]);
        check(&[(3, 3, 'a'), (3, 6, 'b')], &[(0, 9, 'x')], &[(3, 6, "bx")]);
    }
}
