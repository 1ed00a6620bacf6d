//! The keys of a ledger file: one flat level, whatever the parts of [`Ledger`] are.
//!
//! Serde's `flatten` would read every array into a buffer of untyped values first; a ledger has millions of them. So both directions
//! are generated from one table, whose order is the order of the keys in a file.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wattle_power::BatteryFacts;
use wattle_timeline::Window;

use crate::{Ledger, SCHEMA};

/// A value of a file in columns, through the functions of its module.
macro_rules! columns {
    ($name:ident, $row:ty, $module:path) => {
        mod $name {
            use serde::{Deserialize, Serialize};
            use $module as columns;

            #[derive(Serialize)]
            pub(super) struct Writer<'a>(
                #[serde(serialize_with = "columns::serialize")] pub &'a [$row],
            );

            #[derive(Deserialize)]
            pub(super) struct Reader(
                #[serde(deserialize_with = "columns::deserialize")] pub Vec<$row>,
            );
        }
    };
}

columns!(bookings, crate::Booking, crate::booking::columns);
columns!(test_bookings, crate::TestBooking, crate::test_entry::columns);
columns!(span_bookings, crate::SpanBooking, crate::spans::columns);
columns!(stretches, crate::Stretch, crate::stretch::columns);

/// Implements reading and writing from `key: place in the ledger, kind`, where the kind is
/// - `required`: always written, and missed in a file without it;
/// - `optional`: always written, and its default in a file without it;
/// - `unless(is_empty)`: written unless the function says that there is nothing, and its default in a file without it.
///
/// `in columns` names one of the modules above that writes rows as columns.
macro_rules! file_keys {
    ($( $key:ident: $($place:ident).+, $kind:ident $(($skip:expr))? $(, in $columns:ident)?; )+) => {
        impl Serialize for Ledger {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut file = to.serialize_struct("Ledger", KEYS.len())?;
                file.serialize_field("schema", SCHEMA)?;
                $(
                    let value = &self.$($place).+;
                    if file_keys!(@skip value $($skip)?) {
                        file.skip_field(stringify!($key))?;
                    } else {
                        file.serialize_field(stringify!($key), file_keys!(@write value $($columns)?))?;
                    }
                )+
                file.end()
            }
        }

        /// All keys, in the order in which they are written.
        const KEYS: &[&str] = &["schema", $(stringify!($key)),+];

        /// All keys but the version: with the place in the ledger, and whether it is always written.
        #[cfg(feature = "schema")]
        const PLACES: &[(&str, &[&str], bool)] = &[$(
            (stringify!($key), &[$(stringify!($place)),+], file_keys!(@is_always $kind)),
        )+];

        /// A key of a file.
        #[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
        #[allow(non_camel_case_types, reason = "spelt as in the file")]
        enum Key {
            schema,
            $($key,)+
            #[serde(other)]
            Unknown,
        }

        impl<'de> Visitor<'de> for LedgerVisitor {
            type Value = Ledger;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a ledger")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ledger, A::Error> {
                let mut ledger = Ledger::empty(Window::default());
                // By number of the key.
                let mut seen = [false; KEYS.len()];
                while let Some(key) = map.next_key::<Key>()? {
                    if let Some(seen) = seen.get_mut(key as usize)
                        && std::mem::replace(seen, true)
                    {
                        return Err(A::Error::duplicate_field(KEYS[key as usize]));
                    }
                    match key {
                        // The reader of the file looks at the version before anything else.
                        Key::schema => drop(map.next_value::<String>()?),
                        $( Key::$key => ledger.$($place).+ = file_keys!(@read map $($columns)?), )+
                        Key::Unknown => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                if !seen[Key::schema as usize] {
                    return Err(A::Error::missing_field("schema"));
                }
                $(
                    if file_keys!(@is_required $kind) && !seen[Key::$key as usize] {
                        return Err(A::Error::missing_field(stringify!($key)));
                    }
                )+
                Ok(ledger)
            }
        }
    };
    (@skip $value:ident) => { false };
    (@skip $value:ident $skip:expr) => { $skip($value) };
    (@write $value:ident) => { $value };
    (@write $value:ident $columns:ident) => { &$columns::Writer($value) };
    (@read $map:ident) => { $map.next_value()? };
    (@read $map:ident $columns:ident) => { $map.next_value::<$columns::Reader>()?.0 };
    (@is_required required) => { true };
    (@is_required optional) => { false };
    (@is_required unless) => { false };
    (@is_always required) => { true };
    (@is_always optional) => { true };
    (@is_always unless) => { false };
}

struct LedgerVisitor;

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_struct("Ledger", KEYS, LedgerVisitor)
    }
}

/// Brings the schema of a ledger in parts to the one level of keys that a file has.
#[cfg(feature = "schema")]
pub(crate) fn flatten_parts(schema: &mut schemars::Schema) {
    use serde_json::{Map, Value, json};

    let parts = schema.as_value();
    let mut properties = Map::new();
    let mut required = vec![Value::from("schema")];
    let version = json!({ "const": SCHEMA, "description": "Name and version of the format." });
    properties.insert("schema".to_owned(), version);
    for (key, place, is_always) in PLACES {
        let property = place.iter().fold(parts, |part, name| &part["properties"][name]);
        properties.insert((*key).to_owned(), property.clone());
        if *is_always {
            required.push(Value::from(*key));
        }
    }
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
}

file_keys! {
    artifacts: recording.artifacts, required;
    device: recording.device, required;
    apps: recording.apps, unless(Vec::is_empty);
    window: recording.window, required;
    model: power.model, optional;
    shared_policy: power.shared_policy, required;
    has_scheduler: recording.has_scheduler, required;
    components: rows.components, required;
    processes: rows.processes, required;
    packages: rows.packages, unless(Vec::is_empty);
    threads: rows.threads, required;
    paths: rows.paths, required;
    sites: rows.sites, unless(Vec::is_empty);
    inlined: rows.inlined, unless(Vec::is_empty);
    frames: rows.frames, unless(Vec::is_empty);
    sampling: sheets.sampling, unless(Option::is_none);
    stretches: over_time.stretches, unless(Vec::is_empty), in stretches;
    energy_bins: over_time.energy, unless(Option::is_none);
    meter_intervals: over_time.meter_intervals, unless(Vec::is_empty);
    tracks: over_time.tracks, unless(Option::is_none);
    coverage: sheets.coverage, unless(Vec::is_empty);
    api_sheet: sheets.apis, unless(crate::ApiSheet::is_empty);
    call_stats: sheets.call_stats, unless(Vec::is_empty);
    accounts: rows.accounts, required;
    bookings: bookings, required, in bookings;
    tests: test_runs.tests, unless(Vec::is_empty);
    test_bookings: test_runs.bookings, unless(Vec::is_empty), in test_bookings;
    test_methods: test_runs.methods, unless(Vec::is_empty);
    spans: spans.entries, unless(Vec::is_empty);
    span_bookings: spans.bookings, unless(Vec::is_empty), in span_bookings;
    transfers: sheets.transfers, unless(Vec::is_empty);
    probes: sheets.probes, unless(Option::is_none);
    upper_bounds: sheets.upper_bounds, unless(Option::is_none);
    waits: sheets.waits, unless(Vec::is_empty);
    no_waits: sheets.no_waits, unless(Option::is_none);
    doubtful_waits: sheets.doubtful_waits, unless(crate::row_entries::is_none);
    errors: power.errors, required;
    cpus: rows.cpus, required;
    rails: power.rails, required;
    battery: power.battery, unless(Option::is_none);
    battery_facts: power.battery_facts, unless(BatteryFacts::is_empty);
    energy_coverage: power.coverage, unless(Option::is_none);
    statements: power.statements, unless(Vec::is_empty);
    spread: power.spread, required;
    bins: over_time.bins, required;
    series: over_time.series, required;
    closure: closure, required;
    quality: quality, required;
}
