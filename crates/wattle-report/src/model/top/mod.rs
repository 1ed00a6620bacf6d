//! Energy by process, thread and call path, as trees that are opened node by node: what `wattle top` shows.

mod details;
mod energy_forest;
mod forest_column;
mod forest_rows;
mod forest_values;
mod others;
mod path_table;

pub use details::ForestDetail;
pub use energy_forest::{EnergyForest, ForestKind, ForestNode, ForestView};
pub use forest_column::ForestColumn;
pub(crate) use forest_rows::time as top_time;
pub use forest_rows::{
    ForestComponent, ForestRow, ForestRowKind, TOP_SCHEMA, TopOptions, TopReport,
};
pub use path_table::EnergyPaths;
