//! Energy by process, thread and call path, as trees that are opened node by node: what `wattle top` shows.

mod details;
mod forest;
mod forest_column;
mod forest_values;
mod others;
mod path_table;
mod rows;

pub use details::ForestDetail;
pub use forest::{EnergyForest, ForestKind, ForestNode, ForestView};
pub use forest_column::ForestColumn;
pub use path_table::EnergyPaths;
pub(crate) use rows::time as top_time;
pub use rows::{ForestComponent, ForestRow, ForestRowKind, TOP_SCHEMA, TopOptions, TopReport};
