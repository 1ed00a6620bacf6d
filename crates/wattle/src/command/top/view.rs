//! The screen: from state to cells. Only rows in sight are laid out.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use wattle_report::{ForestColumn, ForestKind, ForestNode, ForestView};

use super::column::{self, Column};
use super::help::KEYS;
use super::state::TopState;

/// Names are not cut to less as long as any column is left to give way.
const NARROWEST_NAME: u16 = 28;
/// Lines of the details.
const DETAILS: u16 = 9;
/// The indentation of a level.
const INDENT: usize = 2;

const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
const HEADING: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
const MATCH: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
const THREAD: Style = Style::new().fg(Color::Green);
const PROCESS: Style = Style::new().fg(Color::Blue).add_modifier(Modifier::BOLD);

/// Draws it. Tells the state how many rows fit.
pub fn draw(frame: &mut Frame<'_>, state: &mut TopState<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let details = if state.shows_details && area.height > DETAILS + 5 { DETAILS } else { 0 };
    let height = area.height.saturating_sub(3 + details);
    state.resize(usize::from(height));
    if area.width == 0 || area.height == 0 {
        return;
    }
    title(buffer, area, state);
    let columns = fitting(state, area.width);
    let name_width = area.width.saturating_sub(columns.iter().map(|it| it.width + 1).sum());
    headings(buffer, Rect { y: area.y + 1, ..area }, state, &columns, name_width);
    for line in 0..height {
        let row = state.first + usize::from(line);
        let Some(node) = state.rows.get(row).copied() else { break };
        let at = Rect { y: area.y + 2 + line, height: 1, ..area };
        draw_row(buffer, at, state, (row, node), Layout { columns: &columns, name_width });
    }
    if details > 0 {
        let at = Rect { y: area.y + 2 + height, height: details, ..area };
        draw_details(buffer, at, state);
    }
    if area.height > 1 {
        status(buffer, Rect { y: area.y + area.height - 1, ..area }, state);
    }
    if state.shows_help {
        help(buffer, area);
    }
}

/// The columns that fit beside names: those that stay, then those of components from the one that is chosen.
fn fitting(state: &TopState<'_>, width: u16) -> Vec<Column> {
    let components = state.components.iter().skip(state.first_component);
    let mut left = width.saturating_sub(NARROWEST_NAME);
    let mut columns = Vec::new();
    for column in state.columns.iter().chain(components) {
        let mut column = column.clone();
        // The interval goes before the figure does.
        if column.of == ForestColumn::Total && width < 100 {
            column.width = 9;
        }
        if column.width + 1 > left {
            break;
        }
        left -= column.width + 1;
        columns.push(column);
    }
    columns
}

fn title(buffer: &mut Buffer, area: Rect, state: &TopState<'_>) {
    let total = state.paths.everything();
    let energy = total.0.map_or_else(
        || "no energy figure".to_owned(),
        |it| {
            format!("{} [{} – {}] {}", it.joules, it.interval.low, it.interval.high, it.provenance)
        },
    );
    let what = match state.forest.view() {
        ForestView::Calls => "calls",
        ForestView::Callers => "callers",
        ForestView::Functions => "functions",
    };
    let whose = if state.app_only { "the app alone" } else { "everybody" };
    let text = format!("wattle top · {energy} · by {what} · {whose} · {}", state.title);
    put(buffer, area, Extent { from: 0, width: area.width }, &text, HEADING);
}

fn headings(
    buffer: &mut Buffer,
    line: Rect,
    state: &TopState<'_>,
    columns: &[Column],
    name_width: u16,
) {
    if line.y >= buffer.area.bottom() {
        return;
    }
    let (by, descending) = state.forest.order();
    let arrow = if descending { "▼" } else { "▲" };
    let heading = |column: ForestColumn, text: &str| {
        if column == by { format!("{text} {arrow}") } else { text.to_owned() }
    };
    put(
        buffer,
        line,
        Extent { from: 0, width: name_width },
        &heading(ForestColumn::Name, "name"),
        QUIET,
    );
    let mut x = name_width;
    for column in columns {
        let text = match column.of {
            ForestColumn::Total if column.width > 9 => {
                format!("{} {:>20}", heading(column.of, "total"), "90 % interval")
            }
            other => heading(other, &column.heading),
        };
        put_right(buffer, line, Extent { from: x + 1, width: column.width }, &text, QUIET);
        x += column.width + 1;
    }
}

/// Columns of numbers, and the width of the names before them.
#[derive(Clone, Copy)]
struct Layout<'a> {
    columns: &'a [Column],
    name_width: u16,
}

fn draw_row(
    buffer: &mut Buffer,
    line: Rect,
    state: &mut TopState<'_>,
    (row, node): (usize, ForestNode),
    Layout { columns, name_width }: Layout<'_>,
) {
    let figure = state.figure(node);
    let (paths, forest) = (state.paths, &state.forest);
    let twist = match (forest.has_children(paths, node), state.is_open(node)) {
        (false, _) => " ",
        (true, true) => "▾",
        (true, false) => "▸",
    };
    // Deep stacks keep half of the column for names.
    let depth = forest.depth(node) as usize * INDENT;
    let depth = depth.min(usize::from(name_width) / 2);
    let label = format!("{}{twist} {}", " ".repeat(depth), forest.label(paths, node));
    let style = if state.search.is_match(node) {
        MATCH
    } else {
        match forest.kind(node) {
            ForestKind::Process(_) => PROCESS,
            ForestKind::Thread(_) => THREAD,
            ForestKind::Function(_) => Style::new(),
            ForestKind::Others(_) => QUIET,
        }
    };
    put(buffer, line, Extent { from: 0, width: name_width }, &label, style);
    let mut x = name_width;
    for column in columns {
        let mut text = column::text(column.of, forest.value(paths, node, column.of));
        if column.of == ForestColumn::Total {
            text = figure.joules().map_or("–".to_owned(), |joules| joules.to_string());
            let wide = figure.interval().filter(|it| it.low < it.high && column.width > 9);
            let range = wide.map_or(String::new(), |it| format!("{} – {}", it.low, it.high));
            if column.width > 9 {
                text = format!("{text} {range:>20}");
            }
        }
        put_right(buffer, line, Extent { from: x + 1, width: column.width }, &text, Style::new());
        x += column.width + 1;
    }
    if row == state.cursor {
        buffer.set_style(line, SELECTED);
    }
}

fn draw_details(buffer: &mut Buffer, area: Rect, state: &TopState<'_>) {
    let rule = "─".repeat(usize::from(area.width));
    put(buffer, area, Extent { from: 0, width: area.width }, &rule, QUIET);
    let Some(node) = state.selected() else { return };
    let name = state.forest.label(state.paths, node);
    let mut line = Rect { y: area.y + 1, height: 1, ..area };
    put(buffer, line, Extent { from: 0, width: area.width }, &name, HEADING);
    for detail in state.forest.details(state.paths, node) {
        line.y += 1;
        if line.y >= area.bottom() {
            break;
        }
        put(buffer, line, Extent { from: 1, width: 11 }, detail.what, QUIET);
        put(
            buffer,
            line,
            Extent { from: 12, width: area.width.saturating_sub(12) },
            &detail.text,
            Style::new(),
        );
    }
}

fn status(buffer: &mut Buffer, line: Rect, state: &TopState<'_>) {
    let place = format!("{} of {}", (state.cursor + 1).min(state.rows.len()), state.rows.len());
    let search = &state.search;
    let text = if let Some(message) = &state.message {
        message.clone()
    } else if search.is_typing || !search.text.is_empty() {
        let caret = if search.is_typing { "█" } else { "" };
        let filter = if search.is_filter { ", only these" } else { "" };
        let hint =
            if search.is_typing { "Enter keeps, Esc ends" } else { "n N next, f filter, Esc ends" };
        format!("/{}{caret}  {} matches{filter} · {hint}", search.text, search.count())
    } else {
        "? help  / search  → open  e all  p hottest  1 2 3 views  a app  s sort  d details  q quit"
            .to_owned()
    };
    put(
        buffer,
        line,
        Extent { from: 0, width: line.width.saturating_sub(place.len() as u16 + 1) },
        &text,
        QUIET,
    );
    put_right(buffer, line, Extent { from: 0, width: line.width }, &place, QUIET);
}

fn help(buffer: &mut Buffer, area: Rect) {
    let width = 66.min(area.width);
    let height = (KEYS.len() as u16 + 2).min(area.height);
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let window = Rect { x, y, width, height };
    for y in window.y..window.bottom() {
        buffer.set_stringn(
            window.x,
            y,
            " ".repeat(usize::from(width)),
            usize::from(width),
            Style::reset(),
        );
    }
    put(buffer, window, Extent { from: 1, width: width.saturating_sub(2) }, "Keys", HEADING);
    for (line, (keys, what)) in (window.y + 1..window.bottom()).zip(KEYS) {
        let line = Rect { y: line, height: 1, ..window };
        put(buffer, line, Extent { from: 1, width: 15 }, keys, MATCH);
        put(buffer, line, Extent { from: 17, width: width.saturating_sub(18) }, what, Style::new());
    }
}

/// Cells of a line: the first, and their number.
#[derive(Clone, Copy)]
struct Extent {
    from: u16,
    width: u16,
}

/// Text from a column on, `…` where it does not fit.
fn put(buffer: &mut Buffer, line: Rect, Extent { from, width }: Extent, text: &str, style: Style) {
    let width = width.min(line.width.saturating_sub(from));
    let (x, y) = (line.x + from, line.y);
    if width == 0 || y >= buffer.area.bottom() {
        return;
    }
    if Span::raw(text).width() <= usize::from(width) {
        buffer.set_stringn(x, y, text, usize::from(width), style);
        return;
    }
    let (end, _) = buffer.set_stringn(x, y, text, usize::from(width) - 1, style);
    buffer.set_stringn(end, y, "…", 1, style);
}

/// The same against the right edge of a column.
fn put_right(buffer: &mut Buffer, line: Rect, extent: Extent, text: &str, style: Style) {
    let Extent { from, width } = extent;
    let columns = (Span::raw(text).width() as u16).min(width);
    put(buffer, line, Extent { from: from + width - columns, width: columns }, text, style);
}
