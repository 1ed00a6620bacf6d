//! Power over time in one line of blocks.

use wattle_ledger::PowerOverTime;
use wattle_units::{Joules, Nanos};

use super::super::style::Style::{Bar, Dim, Plain, Strong};
use super::super::text_columns::width;
use super::styled_line::StyledLine;
use super::summary_page::{LABEL, SummaryPage};
use crate::cells::{Seconds, milliwatts};

/// Nothing was drawn, or nothing is known.
const NOTHING: char = '·';
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Times below the strip.
const TICKS: usize = 4;

impl SummaryPage<'_> {
    pub(super) fn power(&self, to: &mut String) {
        let Some(over_time) = self.parts.over_time else { return };
        let sums = sums(over_time);
        let Some(peak) = sums.iter().copied().reduce(f64::max).filter(|peak| *peak > 0.0) else {
            return;
        };
        let width_of_bin = Seconds(over_time.bins.width);
        let part = self.part_over_time(&sums, over_time.bins.width);
        let peak = format!("  peak {} in {width_of_bin}{part}", milliwatts(peak * 1e3));
        let cells = self.columns.saturating_sub(LABEL + width(&peak));
        let strip = strip(&sums, cells);
        let mut line = StyledLine::default();
        line.add(Strong, "Power").pad(LABEL).add(Bar, &strip).add(Dim, &peak);
        self.put(&line, to);
        let cells = width(&strip);
        let mut axis = StyledLine::default();
        axis.add(Plain, &" ".repeat(LABEL));
        for tick in 0..TICKS {
            let at = LABEL + cells * tick / TICKS;
            let bins = i128::from(over_time.bins.width.value()) * i128::from(over_time.bins.count);
            let time = bins * tick as i128 / TICKS as i128;
            axis.pad(at).add(Dim, &tick_text(time));
        }
        self.put(&axis, to);
        to.push('\n');
    }
}

impl SummaryPage<'_> {
    /// The part of the total that the strip shows, where that is not nearly all of it: of the rest it is not known when it was drawn.
    fn part_over_time(&self, sums: &[f64], width: Nanos) -> String {
        const ALL: f64 = 0.9;
        let drawn = sums.iter().sum::<f64>() * width.seconds();
        let total = self.report.energy.total.joules().map_or(0.0, Joules::value);
        if total <= 0.0 || drawn >= ALL * total {
            return String::new();
        }
        let over_time = self.parts.over_time.map_or(&[][..], |it| &it.series);
        let shown = over_time.iter().filter(|it| it.power.iter().any(|it| it.value() > 0.0));
        let names: Vec<&str> = shown.map(|it| it.component.title()).collect();
        let only = match names.as_slice() {
            [one] => format!("{one} only, "),
            _ => String::new(),
        };
        format!(" ({only}{:.0} % of all)", drawn / total * 100.0)
    }
}

/// Power of all components together in each bin, in watts.
fn sums(over_time: &PowerOverTime) -> Vec<f64> {
    let mut sums = vec![0.0; over_time.bins.count as usize];
    for series in &over_time.series {
        for (sum, power) in sums.iter_mut().zip(&series.power) {
            *sum += power.value();
        }
    }
    sums
}

/// At most so many blocks, each as high as the mean power of its time.
fn strip(sums: &[f64], cells: usize) -> String {
    let cells = cells.min(sums.len()).max(1);
    let mean = |cell: usize| {
        let (from, end) = (cell * sums.len() / cells, (cell + 1) * sums.len() / cells);
        let part = &sums[from..end.max(from + 1).min(sums.len())];
        part.iter().sum::<f64>() / part.len().max(1) as f64
    };
    let means: Vec<f64> = (0..cells).map(mean).collect();
    let most = means.iter().copied().fold(0.0, f64::max);
    let block = |power: f64| {
        if power == 0.0 {
            return NOTHING;
        }
        let level = if most > 0.0 { (power / most * 8.0).ceil() as usize } else { 0 };
        BLOCKS[level.clamp(1, 8) - 1]
    };
    means.into_iter().map(block).collect()
}

fn tick_text(nanoseconds: i128) -> String {
    let time = Nanos::new(i64::try_from(nanoseconds).unwrap_or(i64::MAX));
    if time == Nanos::ZERO { "0 s".to_owned() } else { Seconds(time).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sums: &[f64], cells: usize, expected: &str) {
        assert_eq!(strip(sums, cells), expected);
    }

    #[test]
    fn blocks_are_as_high_as_the_power() {
        check(&[1.0, 2.0, 4.0, 8.0], 4, "▁▂▄█");
        check(&[8.0, 0.0, 4.0, 4.0], 2, "██");
        check(&[0.0, 8.0], 10, "·█");
        check(&[0.0, 0.0], 2, "··");
    }
}
