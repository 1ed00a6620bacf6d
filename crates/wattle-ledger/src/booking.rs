//! One line of the ledger.

use serde::{Deserialize, Serialize};
use wattle_power::SourceId;
use wattle_units::Joules;

use crate::{AccountId, Charge};

/// Index into [`crate::LedgerRows::components`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ComponentId(pub u16);

/// An amount of energy with who pays, for which hardware, what for, and whose error it carries. There is
/// one booking for each combination that occurs, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Booking {
    /// The consumer.
    pub account: AccountId,
    /// The hardware.
    pub component: ComponentId,
    /// The purpose.
    pub charge: Charge,
    /// The number of the model that it rests on.
    pub source: SourceId,
    /// The energy.
    pub joules: Joules,
}

/// Bookings as columns: in JSON an object of equally long arrays, a fifth of the size of an array of
/// objects.
pub(crate) mod columns {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wattle_power::SourceId;
    use wattle_units::Joules;

    use super::{Booking, ComponentId};
    use crate::{AccountId, Charge};

    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub(crate) struct Columns {
        /// Indices into `accounts`.
        account: Vec<AccountId>,
        /// Indices into `components`.
        component: Vec<ComponentId>,
        /// Purposes.
        charge: Vec<Charge>,
        /// Indices into `errors.sources`.
        source: Vec<SourceId>,
        /// Energies.
        joules: Vec<Joules>,
    }

    pub fn serialize<S: Serializer>(bookings: &[Booking], to: S) -> Result<S::Ok, S::Error> {
        let mut columns = Columns::default();
        for booking in bookings {
            columns.account.push(booking.account);
            columns.component.push(booking.component);
            columns.charge.push(booking.charge);
            columns.source.push(booking.source);
            columns.joules.push(booking.joules);
        }
        columns.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Booking>, D::Error> {
        let columns = Columns::deserialize(from)?;
        let count = columns.account.len();
        let lengths = [
            columns.component.len(),
            columns.charge.len(),
            columns.source.len(),
            columns.joules.len(),
        ];
        if lengths.iter().any(|length| *length != count) {
            return Err(D::Error::custom(format!(
                "bookings: columns of unequal length: account {count}, others {lengths:?}"
            )));
        }
        Ok((0..count)
            .map(|i| Booking {
                account: columns.account[i],
                component: columns.component[i],
                charge: columns.charge[i],
                source: columns.source[i],
                joules: columns.joules[i],
            })
            .collect())
    }
}
