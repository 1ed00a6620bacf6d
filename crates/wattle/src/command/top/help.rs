//! The keys.

/// The help screen.
pub const KEYS: [(&str, &str); 22] = [
    ("↑ ↓  k j", "row up, down"),
    ("PgUp PgDn", "page up, down"),
    ("Home End  g G", "first, last row"),
    ("→ l", "open; on an open row the first below it"),
    ("← h", "close; on a closed row the one above it"),
    ("Enter Space", "open or close"),
    ("e", "open all below"),
    ("p", "open the path that drew most"),
    ("c", "close all"),
    ("/", "search as you type; Enter keeps it, Esc ends it"),
    ("n N", "next, previous match"),
    ("f", "only matches, what is above and below them"),
    ("1 2 3  Tab", "calls, callers (inverted), functions (flat)"),
    ("a", "the app alone, or everybody"),
    ("s S", "order by the next, previous column"),
    ("r", "smallest or largest first"),
    ("[ ]", "scroll the components' columns"),
    ("d", "details of the row"),
    ("?", "this help"),
    ("Esc", "end what is open: help, search, filter"),
    ("q", "quit"),
    ("Ctrl-C", "quit"),
];
