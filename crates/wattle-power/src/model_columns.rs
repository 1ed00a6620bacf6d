//! Columns of the tables that models are shown in.

use wattle_table::{Column, PROVENANCES, describe};

use crate::{ModelFacts, ModelRung};

describe!(
    ModelFacts,
    "model",
    "a power model",
    [
        Column::text("kind", "rails, curves, profile", |row: &ModelFacts| &row.kind),
        Column::text("name", "device model", |row: &ModelFacts| &row.name),
        Column::text("chosen", "how it was chosen", |row: &ModelFacts| &row.chosen),
        Column::maybe_text(
            "rung",
            "step by which it was chosen: a the device's code name, b the name of its SoC, board or hardware, c the clocks of its \
             CPUs, d their number and architecture",
            |row: &ModelFacts| row.rung().map(ModelRung::name)
        )
        .optional(),
        Column::text("source", "where its figures come from, with licence", |row: &ModelFacts| {
            &row.source
        }),
        Column::word(
            "provenance",
            "modelled for this device, or assumed from another",
            PROVENANCES,
            |row: &ModelFacts| Some(&row.provenance)
        ),
        Column::id(
            "version",
            "figures of two versions must not be compared",
            |row: &ModelFacts| row.version
        ),
    ]
);
