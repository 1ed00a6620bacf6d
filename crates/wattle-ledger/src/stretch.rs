//! Energy of call paths over time.

use wattle_timeline::Window;
use wattle_units::Joules;

use crate::{ComponentId, PathId};

/// An energy of one call path over a stretch of time. Stretches of one thread's path, component and neighbouring times are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The path that consumed it.
    pub path: PathId,
    /// The component.
    pub component: ComponentId,
    /// The stretch of time.
    pub window: Window,
    /// The energy.
    pub joules: Joules,
}

/// Stretches as columns: in JSON an object of equally long arrays.
pub(crate) mod columns {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wattle_timeline::Window;
    use wattle_units::{BootNanos, Joules};

    use super::Stretch;
    use crate::{ComponentId, PathId};

    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub(crate) struct Columns {
        /// Indices into `paths`.
        path: Vec<PathId>,
        /// Indices into `components`.
        component: Vec<ComponentId>,
        /// First instants.
        start: Vec<BootNanos>,
        /// First instants after the stretches.
        end: Vec<BootNanos>,
        /// Energies.
        joules: Vec<Joules>,
    }

    pub fn serialize<S: Serializer>(stretches: &[Stretch], to: S) -> Result<S::Ok, S::Error> {
        let mut columns = Columns::default();
        for stretch in stretches {
            columns.path.push(stretch.path);
            columns.component.push(stretch.component);
            columns.start.push(stretch.window.start);
            columns.end.push(stretch.window.end);
            columns.joules.push(stretch.joules);
        }
        columns.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Stretch>, D::Error> {
        let columns = Columns::deserialize(from)?;
        let count = columns.path.len();
        let lengths =
            [columns.component.len(), columns.start.len(), columns.end.len(), columns.joules.len()];
        if lengths.iter().any(|length| *length != count) {
            return Err(D::Error::custom(format!(
                "stretches: columns of unequal length: path {count}, others {lengths:?}"
            )));
        }
        Ok((0..count)
            .map(|i| Stretch {
                path: columns.path[i],
                component: columns.component[i],
                window: Window::new(columns.start[i], columns.end[i]),
                joules: columns.joules[i],
            })
            .collect())
    }
}
