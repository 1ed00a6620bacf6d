//! A model by what a user calls it.

use std::path::Path;

use wattle_power::{ApiCosts, ApiTable, DeviceModel, library};

use crate::bounded_file;
use crate::command::inputs;
use crate::command::nearest::suggestion;
use crate::exit::Failure;

/// A file of that name, else a model of the library by its name, SoC, device or board, without regard to case.
pub fn find(name: &str) -> Result<DeviceModel, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        return inputs::device_model(path).map_err(Failure::Input);
    }
    let is = |other: &String| other.eq_ignore_ascii_case(name);
    let ranked = library().iter().filter_map(|model| {
        let rank = if is(&model.name) {
            0
        } else if model.matching.socs.iter().any(is) {
            1
        } else if model.matching.devices.iter().any(is) {
            2
        } else if model.matching.boards.iter().any(is) {
            3
        } else {
            return None;
        };
        Some((rank, model))
    });
    let found = ranked.min_by_key(|(rank, _)| *rank);
    found.map(|(_, model)| model.clone()).ok_or_else(|| {
        let models = library().iter().flat_map(|model| {
            let of = &model.matching;
            let others = of.socs.iter().chain(&of.devices).chain(&of.boards);
            std::iter::once(&model.name).chain(others)
        });
        let tables = ApiCosts::library().tables().iter().map(|table| &table.name);
        let near = suggestion(name, models.chain(tables).map(String::as_str));
        Failure::Usage(anyhow::anyhow!(
            "{name}: neither a file nor a model of the library (`wattle model list` shows those){near}"
        ))
    })
}

/// A table of API costs: a file that says it is one, else one of the library by its name, without regard to case. `None`: the name
/// is of something else.
pub fn table(name: &str) -> Result<Option<ApiTable>, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        return if is_table(path) {
            inputs::api_table(path).map(Some).map_err(Failure::Input)
        } else {
            Ok(None)
        };
    }
    let mut tables = ApiCosts::library().tables().iter();
    Ok(tables.find(|table| table.name.eq_ignore_ascii_case(name)).cloned())
}

/// Whether a file says that it is a table of API costs.
pub fn is_table(path: &Path) -> bool {
    bounded_file::text(path, bounded_file::MOST).is_ok_and(|text| ApiTable::is_one(&text))
}
