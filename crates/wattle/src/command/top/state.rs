//! The state of the screen and its changes by keys. Knows no terminal.

use std::collections::{HashMap, HashSet};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use wattle_report::{EnergyForest, EnergyPaths, Figure, ForestColumn, ForestNode, ForestView};

use super::column::{self, Column};
use super::search::Search;

/// No more nodes are opened at once: beyond that nobody finds anything, and the callers of everything may be millions.
const MOST_NODES: usize = 1_000_000;

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With another key.
    On,
    /// Not.
    Quit,
}

/// The state of the screen.
pub struct TopState<'a> {
    pub paths: &'a EnergyPaths<'a>,
    pub forest: EnergyForest,
    pub title: String,
    /// Rows that are open to sight, in order.
    pub rows: Vec<ForestNode>,
    pub cursor: usize,
    /// The first row on the screen.
    pub first: usize,
    /// The number of rows that fit; set by the view.
    pub height: usize,
    pub columns: Vec<Column>,
    pub components: Vec<Column>,
    /// The first component's column on the screen.
    pub first_component: usize,
    pub search: Search,
    pub app_only: bool,
    pub shows_details: bool,
    pub shows_help: bool,
    pub message: Option<String>,
    pub(super) expanded: HashSet<ForestNode>,
    figures: HashMap<ForestNode, Figure>,
    /// The position of the cursor when the search began.
    pub(super) searched_from: Option<ForestNode>,
    /// The nodes open at that time: those opened on the way to a match are closed again.
    pub(super) open_before_search: HashSet<ForestNode>,
}

impl<'a> TopState<'a> {
    /// A view of a ledger's paths, everything closed but the first row.
    pub fn new(
        paths: &'a EnergyPaths<'a>,
        view: ForestView,
        app_only: bool,
        title: String,
    ) -> Self {
        let (columns, components) = column::shown(paths);
        let mut state = Self {
            paths,
            forest: EnergyForest::new(paths, view, app_only),
            title,
            rows: Vec::new(),
            cursor: 0,
            first: 0,
            height: 1,
            columns,
            components,
            first_component: 0,
            search: Search::default(),
            app_only,
            shows_details: false,
            shows_help: false,
            message: None,
            expanded: HashSet::new(),
            figures: HashMap::new(),
            searched_from: None,
            open_before_search: HashSet::new(),
        };
        state.list();
        state
    }

    /// Applies a key.
    pub fn press(&mut self, key: KeyEvent) -> Flow {
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if key.code == KeyCode::Char('c') { Flow::Quit } else { Flow::On };
        }
        if self.search.is_typing {
            self.type_into_search(key.code);
            return Flow::On;
        }
        if self.shows_help {
            self.shows_help = false;
            return if key.code == KeyCode::Char('q') { Flow::Quit } else { Flow::On };
        }
        match key.code {
            KeyCode::Char('q') => return Flow::Quit,
            KeyCode::Up | KeyCode::Char('k') => self.go_to(self.cursor.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.go_to(self.cursor + 1),
            KeyCode::PageUp => self.go_to(self.cursor.saturating_sub(self.height)),
            KeyCode::PageDown => self.go_to(self.cursor + self.height),
            KeyCode::Home | KeyCode::Char('g') => self.go_to(0),
            KeyCode::End | KeyCode::Char('G') => self.go_to(usize::MAX),
            KeyCode::Right | KeyCode::Char('l') => self.open_or_enter(),
            KeyCode::Left | KeyCode::Char('h') => self.close_or_leave(),
            KeyCode::Enter | KeyCode::Char(' ') => self.toggle(),
            KeyCode::Char('e' | '*') => self.open_all_below(),
            KeyCode::Char('p') => self.open_hottest(),
            KeyCode::Char('c') => self.close_all(),
            KeyCode::Char('/') => self.begin_search(),
            KeyCode::Char('n') => self.go_to_match(false),
            KeyCode::Char('N') => self.go_to_match(true),
            KeyCode::Char('f') => self.toggle_filter(),
            KeyCode::Char('1') => self.show(ForestView::Calls, self.app_only),
            KeyCode::Char('2') => self.show(ForestView::Callers, self.app_only),
            KeyCode::Char('3') => self.show(ForestView::Functions, self.app_only),
            KeyCode::Tab => self.show(next_view(self.forest.view()), self.app_only),
            KeyCode::Char('a') => self.toggle_app(),
            KeyCode::Char('s') => self.sort_by_neighbour(1),
            KeyCode::Char('S') => self.sort_by_neighbour(-1),
            KeyCode::Char('r') => {
                let (column, descending) = self.forest.order();
                self.sort(column, !descending);
            }
            KeyCode::Char(']') => {
                let last = self.components.len().saturating_sub(1);
                self.first_component = (self.first_component + 1).min(last);
            }
            KeyCode::Char('[') => self.first_component = self.first_component.saturating_sub(1),
            KeyCode::Char('d') => self.shows_details = !self.shows_details,
            KeyCode::Char('?') | KeyCode::F(1) => self.shows_help = true,
            KeyCode::Esc => self.end_search(),
            _ => {}
        }
        Flow::On
    }

    /// The row under the cursor.
    pub fn selected(&self) -> Option<ForestNode> {
        self.rows.get(self.cursor).copied()
    }

    /// Whether what hangs below a node is open to sight.
    pub fn is_open(&self, node: ForestNode) -> bool {
        self.expanded.contains(&node)
    }

    /// A node's energy with its interval, worked out once.
    pub fn figure(&mut self, node: ForestNode) -> Figure {
        let (paths, forest) = (self.paths, &self.forest);
        *self.figures.entry(node).or_insert_with(|| forest.figure(paths, node))
    }

    /// So many rows fit on the screen.
    pub fn resize(&mut self, height: usize) {
        self.height = height.max(1);
        self.keep_in_sight();
    }

    /// Orders by a column: names by the alphabet, numbers the largest first.
    pub fn sort_by(&mut self, column: ForestColumn) {
        self.sort(column, column != ForestColumn::Name);
    }

    fn sort(&mut self, column: ForestColumn, descending: bool) {
        self.forest.sort(self.paths, column, descending);
        self.list_at(self.selected());
        self.update_search();
    }

    fn sort_by_neighbour(&mut self, step: isize) {
        let mut columns = vec![ForestColumn::Name];
        columns.extend(self.columns.iter().chain(&self.components).map(|column| column.of));
        let (current, _) = self.forest.order();
        let at = columns.iter().position(|column| *column == current).unwrap_or(0);
        let next = (at as isize + step).rem_euclid(columns.len() as isize) as usize;
        self.sort_by(columns[next]);
        // Whoever orders by a component wants to see it.
        if let Some(component) = self.components.iter().position(|it| it.of == columns[next]) {
            self.first_component = component;
        }
    }

    pub(super) fn go_to(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
        self.keep_in_sight();
    }

    fn keep_in_sight(&mut self) {
        let lowest = (self.cursor + 1).saturating_sub(self.height);
        let fullest = self.rows.len().saturating_sub(self.height);
        self.first = self.first.min(fullest).clamp(lowest, self.cursor.max(lowest));
    }

    /// Works out which rows are open to sight.
    pub(super) fn list(&mut self) {
        let mut rows = Vec::new();
        let mut open: Vec<ForestNode> = self.forest.roots().iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            if !self.search.shows(node) {
                continue;
            }
            rows.push(node);
            if self.expanded.contains(&node) {
                open.extend(self.forest.children(self.paths, node).iter().rev());
            }
        }
        self.rows = rows;
        self.go_to(self.cursor);
    }

    /// The same, the cursor on a node or what is above it.
    pub(super) fn list_at(&mut self, node: Option<ForestNode>) {
        self.list();
        let Some(node) = node else { return };
        let above: Vec<_> =
            std::iter::successors(Some(node), |node| self.forest.parent(*node)).collect();
        for node in above {
            if let Some(row) = self.rows.iter().position(|row| *row == node) {
                return self.go_to(row);
            }
        }
    }

    fn open_or_enter(&mut self) {
        let Some(node) = self.selected() else { return };
        if !self.forest.has_children(self.paths, node) {
            return;
        }
        if self.expanded.insert(node) {
            self.list_at(Some(node));
        } else {
            self.go_to(self.cursor + 1);
        }
    }

    fn close_or_leave(&mut self) {
        let Some(node) = self.selected() else { return };
        if self.expanded.remove(&node) {
            self.list_at(Some(node));
        } else if let Some(above) = self.forest.parent(node) {
            self.list_at(Some(above));
        }
    }

    fn toggle(&mut self) {
        let Some(node) = self.selected() else { return };
        if self.expanded.remove(&node)
            || self.forest.has_children(self.paths, node) && self.expanded.insert(node)
        {
            self.list_at(Some(node));
        }
    }

    fn open_all_below(&mut self) {
        let Some(node) = self.selected() else { return };
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.forest.len() > MOST_NODES {
                self.message = Some(format!("stopped: more than {MOST_NODES} rows"));
                break;
            }
            let children = self.forest.children(self.paths, node);
            if !children.is_empty() {
                open.extend(children);
                self.expanded.insert(node);
            }
        }
        self.list_at(Some(node));
        self.update_search();
    }

    fn open_hottest(&mut self) {
        let Some(mut node) = self.selected() else { return };
        let measure = if self.paths.has_energy() { ForestColumn::Total } else { ForestColumn::Cpu };
        loop {
            let children = self.forest.children(self.paths, node).to_vec();
            let value =
                |node: &ForestNode| self.forest.value(self.paths, *node, measure).unwrap_or(0.0);
            let Some(hottest) = children
                .into_iter()
                .reduce(|most, other| if value(&other) > value(&most) { other } else { most })
            else {
                break;
            };
            self.expanded.insert(node);
            node = hottest;
        }
        self.list_at(Some(node));
    }

    fn close_all(&mut self) {
        let root = self.selected().map(|node| {
            std::iter::successors(Some(node), |node| self.forest.parent(*node))
                .last()
                .unwrap_or(node)
        });
        self.expanded.clear();
        self.list_at(root);
    }

    fn show(&mut self, view: ForestView, app_only: bool) {
        let (column, descending) = self.forest.order();
        self.forest = EnergyForest::new(self.paths, view, app_only);
        self.forest.sort(self.paths, column, descending);
        self.app_only = app_only;
        self.expanded.clear();
        self.figures.clear();
        self.searched_from = None;
        self.cursor = 0;
        self.first = 0;
        self.update_search();
        self.list();
    }

    fn toggle_app(&mut self) {
        if self.paths.knows_app() {
            self.show(self.forest.view(), !self.app_only);
        } else {
            self.message =
                Some("which processes are the app's is not known: --app says it".to_owned());
        }
    }
}

fn next_view(view: ForestView) -> ForestView {
    match view {
        ForestView::Calls => ForestView::Callers,
        ForestView::Callers => ForestView::Functions,
        ForestView::Functions => ForestView::Calls,
    }
}
