//! Searching in the state.

use std::collections::HashSet;

use ratatui::crossterm::event::KeyCode;
use wattle_report::{ForestNode, ForestView};

use super::search::Search;
use super::state::TopState;

impl TopState<'_> {
    pub(super) fn begin_search(&mut self) {
        self.search.is_typing = true;
        self.search.text.clear();
        self.searched_from = self.selected();
        self.open_before_search.clone_from(&self.expanded);
        self.update_search();
    }

    pub(super) fn type_into_search(&mut self, key: KeyCode) {
        match key {
            KeyCode::Esc => return self.end_search(),
            KeyCode::Enter => {
                self.search.is_typing = false;
                if self.search.text.is_empty() {
                    self.end_search();
                }
                return;
            }
            KeyCode::Backspace => drop(self.search.text.pop()),
            KeyCode::Char(c) => self.search.text.push(c),
            _ => return,
        }
        self.expanded.clone_from(&self.open_before_search);
        self.update_search();
        self.list_at(self.searched_from);
        if let Some(found) = self.search.next(self.searched_from, false, true) {
            self.reveal(found);
        }
    }

    pub(super) fn end_search(&mut self) {
        let selected = self.selected();
        self.search = Search::default();
        self.list_at(selected);
    }

    pub(super) fn go_to_match(&mut self, is_back: bool) {
        match self.search.next(self.selected(), is_back, false) {
            Some(found) => self.reveal(found),
            None if self.search.text.is_empty() => {
                self.message = Some("nothing is searched for: / begins".to_owned());
            }
            None => self.message = Some(format!("no match of {}", self.search.text)),
        }
    }

    pub(super) fn toggle_filter(&mut self) {
        if self.search.text.is_empty() {
            self.message = Some("nothing is searched for: / begins".to_owned());
            return;
        }
        self.search.is_filter = !self.search.is_filter;
        if self.search.is_filter {
            self.open_above_matches();
        }
        self.list_at(self.selected());
    }

    /// Looks through all nodes; of callers, whose tree has no end worth waiting for, through those that were opened.
    pub(super) fn update_search(&mut self) {
        if self.search.text.is_empty() {
            self.search.update(self.paths, &self.forest, Vec::new());
            return;
        }
        let mut order = Vec::new();
        let mut open: Vec<ForestNode> = self.forest.roots().iter().rev().copied().collect();
        let is_whole = self.forest.view() != ForestView::Callers;
        while let Some(node) = open.pop() {
            order.push(node);
            if is_whole || !self.forest.known_children(node).is_empty() {
                open.extend(self.forest.children(self.paths, node).iter().rev());
            }
        }
        self.search.update(self.paths, &self.forest, order);
        if self.search.is_filter {
            self.open_above_matches();
        }
    }

    fn open_above(&mut self, node: ForestNode) {
        let above =
            std::iter::successors(self.forest.parent(node), |node| self.forest.parent(*node));
        self.expanded.extend(above);
    }

    fn open_above_matches(&mut self) {
        let mut above = HashSet::new();
        for node in self.search.matches() {
            let mut next = self.forest.parent(node);
            // What is above of a node that was seen was seen, too.
            while let Some(node) = next.filter(|node| above.insert(*node)) {
                next = self.forest.parent(node);
            }
        }
        self.expanded.extend(above);
    }

    fn reveal(&mut self, node: ForestNode) {
        self.open_above(node);
        self.list_at(Some(node));
    }
}
