//! Values of Android's settings.

use crate::command::run;
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome};
use crate::{Device, DeviceError, quote};

/// A setting gets a value for the run.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The purpose.
    pub(crate) what: &'static str,
    /// `system`, `secure` or `global`.
    pub(crate) namespace: &'static str,
    /// Its name.
    pub(crate) key: &'static str,
    /// The value.
    pub(crate) value: String,
    /// Whether somebody asked for it.
    pub(crate) need: Need,
}

impl Change for Setting {
    fn description(&self) -> String {
        format!("{} ({} {})", self.what, self.namespace, self.key)
    }

    fn need(&self) -> Need {
        self.need
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let before = get(device, self.namespace, self.key)?;
        Ok(Before {
            state: Some(shown(before.as_deref())),
            as_wanted: before.as_ref() == Some(&self.value),
            undo: Some(Undo::Setting {
                namespace: self.namespace.into(),
                key: self.key.into(),
                before,
                during: self.value.clone(),
            }),
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        put(device, self.namespace, self.key, &self.value)
    }

    fn verify(&self, device: &dyn Device, undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        let found = get(device, self.namespace, self.key)?;
        if same(found.as_deref(), Some(&self.value)) {
            return Ok(self.value.clone());
        }
        // A device may have its own idea of a value (`0.0` for `0`, the nearest brightness). What it made of ours is
        // ours, and is told from a later change by somebody else.
        if let (Some(Undo::Setting { before, during, .. }), Some(found)) = (undo, &found)
            && before.as_ref() != Some(found)
        {
            during.clone_from(found);
            return Ok(found.clone());
        }
        Err(DeviceError::Unexpected {
            what: format!("settings put {} {}", self.namespace, self.key),
            expected: self.value.clone(),
            found: shown(found.as_deref()),
        })
    }
}

/// The value of a setting; `None` where there is none.
pub(crate) fn get(
    device: &dyn Device,
    namespace: &str,
    key: &str,
) -> Result<Option<String>, DeviceError> {
    let value = run(device, &format!("settings get {namespace} {}", quote(key)))?;
    // `settings` writes `null` for what is not there.
    Ok(Some(value.trim().to_owned()).filter(|value| value != "null"))
}

fn put(device: &dyn Device, namespace: &str, key: &str, value: &str) -> Result<(), DeviceError> {
    run(device, &format!("settings put {namespace} {} {}", quote(key), quote(value))).map(drop)
}

/// Puts the earlier value back, unless somebody else has set another one since.
pub(crate) fn restore(
    device: &dyn Device,
    namespace: &str,
    key: &str,
    before: Option<&str>,
    during: &str,
) -> Result<UndoOutcome, DeviceError> {
    let found = get(device, namespace, key)?;
    if found.as_deref() == before {
        return Ok(UndoOutcome::Back);
    }
    if !same(found.as_deref(), Some(during)) {
        return Ok(UndoOutcome::Changed(shown(found.as_deref())));
    }
    match before {
        Some(value) => put(device, namespace, key, value)?,
        None => {
            run(device, &format!("settings delete {namespace} {}", quote(key)))?;
        }
    }
    let found = get(device, namespace, key)?;
    if same(found.as_deref(), before) {
        return Ok(UndoOutcome::Back);
    }
    Err(DeviceError::Unexpected {
        what: format!("putting {namespace} {key} back"),
        expected: shown(before),
        found: shown(found.as_deref()),
    })
}

/// Numbers are the same however they are written: `0`, `0.0`.
fn same(one: Option<&str>, other: Option<&str>) -> bool {
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
    one == other || matches!((number(one), number(other)), (Some(one), Some(other)) if one == other)
}

fn shown(value: Option<&str>) -> String {
    value.unwrap_or("not set").to_owned()
}
