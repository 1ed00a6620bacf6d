//! One regression tree over binned columns.

use crate::{Design, order};

/// The most bins of a column; more distinct values share bins of equal rows.
const BINS: usize = 128;

/// Columns as numbers of bins, so that a split is found by one pass over counts.
#[derive(Debug, Clone)]
pub(crate) struct Binned {
    /// For each column: the bin of each row. Bin 0 holds what is missing.
    pub(crate) bins: Vec<Vec<u8>>,
    /// For each column: the value between one bin and the next; bin `b + 1` ends at `edges[b]`.
    pub(crate) edges: Vec<Vec<f64>>,
}

impl Binned {
    pub(crate) fn new(design: &Design) -> Self {
        let edges: Vec<Vec<f64>> = design.columns().iter().map(|column| edges(column)).collect();
        let bins = design.columns().iter().zip(&edges);
        let bins = bins.map(|(c, e)| c.iter().map(|value| bin(*value, e)).collect()).collect();
        Self { bins, edges }
    }
}

fn bin(value: f64, edges: &[f64]) -> u8 {
    if value.is_nan() { 0 } else { (1 + edges.partition_point(|edge| *edge < value)) as u8 }
}

/// Midway between neighbouring distinct values, or between quantiles when there are too many.
fn edges(column: &[f64]) -> Vec<f64> {
    let sorted = order::sorted(column);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() > BINS {
        distinct = (0..BINS)
            .filter_map(|k| sorted.get(k * (sorted.len() - 1) / (BINS - 1)).copied())
            .collect();
        distinct.dedup();
    }
    distinct.iter().zip(distinct.iter().skip(1)).map(|(a, b)| f64::midpoint(*a, *b)).collect()
}

/// Settings for growing a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) depth: usize,
    pub(crate) least_rows: usize,
}

#[derive(Debug, Clone)]
enum Node {
    Leaf(f64),
    Split { column: usize, edge: f64, missing_left: bool, left: usize, right: usize },
}

/// A tree that predicts a mean of the targets it was grown on.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

struct Best {
    gain: f64,
    column: usize,
    bin: u8,
    missing_left: bool,
}

impl Tree {
    /// Grown to lower the sum of squares of `targets` over `rows`, looking only at `columns`.
    pub(crate) fn grow(
        binned: &Binned,
        targets: &[f64],
        rows: Vec<usize>,
        columns: &[usize],
        growth: Growth,
    ) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        tree.node(binned, targets, rows, columns, growth);
        tree
    }

    fn node(
        &mut self,
        binned: &Binned,
        targets: &[f64],
        rows: Vec<usize>,
        columns: &[usize],
        growth: Growth,
    ) -> usize {
        let place = self.nodes.len();
        let sum: f64 = rows.iter().filter_map(|row| targets.get(*row)).sum();
        self.nodes.push(Node::Leaf(if rows.is_empty() { 0.0 } else { sum / rows.len() as f64 }));
        if growth.depth == 0 || rows.len() < 2 * growth.least_rows.max(1) {
            return place;
        }
        let mut best: Option<Best> = None;
        let of = Splittable { targets, rows: &rows, sum, least_rows: growth.least_rows.max(1) };
        for column in columns {
            let Some(bins) = binned.bins.get(*column) else { continue };
            let found = best_split(*column, bins, &of);
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        let Some(best) = best else { return place };
        let Some(bins) = binned.bins.get(best.column) else { return place };
        let goes_left = |row: &usize| match bins.get(*row) {
            Some(0) | None => best.missing_left,
            Some(bin) => *bin <= best.bin,
        };
        let (left, right): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(goes_left);
        let edges = binned.edges.get(best.column);
        let edge = edges.and_then(|e| e.get(usize::from(best.bin).saturating_sub(1)));
        // Without an edge the split is between what is missing and what is not.
        let edge =
            edge.copied().unwrap_or(if best.bin == 0 { f64::NEG_INFINITY } else { f64::INFINITY });
        let edge = if best.bin == 0 { f64::NEG_INFINITY } else { edge };
        let deeper = Growth { depth: growth.depth - 1, ..growth };
        let left = self.node(binned, targets, left, columns, deeper);
        let right = self.node(binned, targets, right, columns, deeper);
        if let Some(node) = self.nodes.get_mut(place) {
            *node = Node::Split {
                column: best.column,
                edge,
                missing_left: best.missing_left,
                left,
                right,
            };
        }
        place
    }

    /// The value at a row of plain values.
    pub(crate) fn predict(&self, row: &[f64]) -> f64 {
        let mut place = 0;
        loop {
            match self.nodes.get(place) {
                Some(Node::Leaf(value)) => return *value,
                Some(Node::Split { column, edge, missing_left, left, right }) => {
                    let value = row.get(*column).copied().unwrap_or(f64::NAN);
                    let goes_left = if value.is_nan() { *missing_left } else { value <= *edge };
                    place = if goes_left { *left } else { *right };
                }
                None => return 0.0,
            }
        }
    }
}

/// The rows of a node that may be split.
struct Splittable<'a> {
    targets: &'a [f64],
    rows: &'a [usize],
    /// The sum of the rows' targets.
    sum: f64,
    /// The fewest rows that either side may have.
    least_rows: usize,
}

/// The split of one column that lowers the sum of squares most, by the gain `Σl²/nl + Σr²/nr − Σ²/n`.
fn best_split(column: usize, bins: &[u8], of: &Splittable<'_>) -> Option<Best> {
    let Splittable { targets, rows, sum, least_rows } = *of;
    let mut sums = [0.0_f64; 256];
    let mut counts = [0_u32; 256];
    let (mut lowest, mut highest) = (u8::MAX, 0_u8);
    for row in rows {
        let (Some(bin), Some(target)) = (bins.get(*row), targets.get(*row)) else { continue };
        if let (Some(s), Some(c)) =
            (sums.get_mut(usize::from(*bin)), counts.get_mut(usize::from(*bin)))
        {
            *s += target;
            *c += 1;
        }
        if *bin > 0 {
            lowest = lowest.min(*bin);
            highest = highest.max(*bin);
        }
    }
    let (missing_sum, missing_count) = (sums[0], counts[0]);
    let count = rows.len() as f64;
    let base = sum * sum / count;
    let mut best: Option<Best> = None;
    let mut consider = |left_sum: f64, left_count: u32, bin: u8, missing_left: bool| {
        let right_count = rows.len() as u32 - left_count;
        if (left_count as usize) < least_rows || (right_count as usize) < least_rows {
            return;
        }
        let right_sum = sum - left_sum;
        let gain = left_sum * left_sum / f64::from(left_count)
            + right_sum * right_sum / f64::from(right_count)
            - base;
        if gain > 1e-12 * base.abs().max(1e-300) && best.as_ref().is_none_or(|b| gain > b.gain) {
            best = Some(Best { gain, column, bin, missing_left });
        }
    };
    if missing_count > 0 {
        consider(missing_sum, missing_count, 0, true);
    }
    let (mut running, mut seen) = (0.0, 0);
    for bin in lowest..highest {
        let (Some(s), Some(c)) = (sums.get(usize::from(bin)), counts.get(usize::from(bin))) else {
            continue;
        };
        if *c == 0 {
            continue;
        }
        running += s;
        seen += c;
        consider(running, seen, bin, false);
        if missing_count > 0 {
            consider(running + missing_sum, seen + missing_count, bin, true);
        }
    }
    best
}
