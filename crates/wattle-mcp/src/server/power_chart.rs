//! A small chart of power over time.

use std::fmt::Write as _;

use wattle_power::Component;

use crate::opened::OpenedRecording;

/// Size of the chart in pixels, and its margins.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 30.0;
/// The most columns.
const MOST_COLUMNS: usize = 180;
/// Colours that people with colour blindness can tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

/// The chart as SVG: stacked mean power by component. `None` where no power over time is known.
pub fn svg(opened: &OpenedRecording) -> Option<String> {
    let over_time = &opened.ledger.over_time;
    let count =
        over_time.series.iter().map(|series| series.power.len()).max().filter(|it| *it > 0)?;
    let step = count.div_ceil(MOST_COLUMNS);
    let columns = count.div_ceil(step);
    // The largest components have colours of their own; the rest is one.
    let mut series: Vec<(String, Vec<f64>)> = over_time
        .series
        .iter()
        .map(|series| {
            let mean = |at: usize| {
                let part = series.power.iter().skip(at * step).take(step);
                let (sum, number) =
                    part.fold((0.0, 0.0), |(sum, n), it| (sum + it.value(), n + 1.0));
                if number > 0.0 { sum / number } else { 0.0 }
            };
            (title(&series.component), (0..columns).map(mean).collect())
        })
        .collect();
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    series.sort_by(|a, b| sum(&b.1).total_cmp(&sum(&a.1)));
    if series.len() > COLOURS.len() {
        let rest = series.split_off(COLOURS.len() - 1);
        let all = (0..columns).map(|at| rest.iter().filter_map(|it| it.1.get(at)).sum());
        series.push(("others".to_owned(), all.collect()));
    }
    let total = |at: usize| series.iter().filter_map(|it| it.1.get(at)).sum::<f64>();
    let most = (0..columns).map(total).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let seconds = opened.duration().seconds();
    let (plot, height) = (WIDTH - LEFT - 10.0, HEIGHT - TOP - BOTTOM);
    let column = plot / columns as f64;
    let mut text = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11"><title>Power over time, {most:.2} W at most, {seconds:.1} s</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##
    );
    let mut floor = vec![0.0; columns];
    // Writing to a String does not fail.
    for ((name, values), colour) in series.iter().zip(COLOURS) {
        let mut path = String::new();
        for (at, value) in values.iter().enumerate() {
            let base = floor.get(at).copied().unwrap_or(0.0);
            let (low, high) = (base / most * height, (base + value.max(0.0)) / most * height);
            if high - low < 0.05 {
                continue;
            }
            let _ = write!(
                path,
                "M{:.1} {:.1}h{column:.2}V{:.1}h-{column:.2}z",
                LEFT + at as f64 * column,
                TOP + height - low,
                TOP + height - high
            );
            if let Some(base) = floor.get_mut(at) {
                *base += value.max(0.0);
            }
        }
        let _ = write!(text, r#"<path fill="{colour}" d="{path}"><title>{name}</title></path>"#);
    }
    let mut x = LEFT;
    for ((name, _), colour) in series.iter().zip(COLOURS) {
        let _ = write!(
            text,
            r#"<rect x="{x:.0}" y="8" width="10" height="10" fill="{colour}"/><text x="{:.0}" y="17">{name}</text>"#,
            x + 14.0
        );
        x += 24.0 + 6.5 * name.chars().count() as f64;
    }
    let bottom = TOP + height;
    let _ = write!(
        text,
        r##"<path d="M{LEFT} {TOP}V{bottom}H{}" fill="none" stroke="#333"/><text x="4" y="{:.0}">{most:.2} W</text><text x="4" y="{bottom:.0}">0 W</text><text x="{LEFT}" y="{:.0}">0 s</text><text x="{:.0}" y="{:.0}" text-anchor="end">{seconds:.1} s</text></svg>"##,
        WIDTH - 10.0,
        TOP + 8.0,
        bottom + 16.0,
        WIDTH - 10.0,
        bottom + 16.0
    );
    Some(text)
}

/// A name without what XML would take for markup.
fn title(component: &Component) -> String {
    let name = if component.name() == "battery" { "rest of the device" } else { component.title() };
    name.chars()
        .filter(|letter| letter.is_alphanumeric() || " -_.:".contains(*letter))
        .take(40)
        .collect()
}
