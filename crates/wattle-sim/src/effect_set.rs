//! A set of effects with their sizes.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Effect, SimError};

/// Effects that are on, with their sizes.
///
/// ```
/// use wattle_sim::{Effect, Effects};
///
/// let effects: Effects = "activity=0.3,binning".parse()?;
/// assert_eq!(effects.size(Effect::Activity), Some(0.3));
/// assert_eq!(effects.size(Effect::Binning), Some(Effect::Binning.usual_size()));
/// assert_eq!(effects.size(Effect::RailGain), None);
/// # Ok::<(), wattle_sim::SimError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    sizes: BTreeMap<Effect, f64>,
}

impl Effects {
    /// No effect: the phone differs from its model by errors of the curves alone.
    pub const NONE: Self = Self { sizes: BTreeMap::new() };

    /// All effects in their usual sizes.
    pub fn all() -> Self {
        Effect::ALL.into_iter().fold(Self::NONE, Self::with)
    }

    /// The effects of an ordinary phone whose trace is complete and has no hardware counters, in their usual sizes.
    pub fn standard() -> Self {
        let incomplete =
            [Effect::DsuEvents, Effect::Counters, Effect::Lost, Effect::Drift, Effect::Recorder];
        Effect::ALL
            .into_iter()
            .filter(|effect| !incomplete.contains(effect))
            .fold(Self::NONE, Self::with)
    }

    /// The same with one more effect in its usual size.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.sizes.insert(effect, effect.usual_size());
        self
    }

    /// The same with one effect in a size.
    ///
    /// # Errors
    ///
    /// When the size is out of the effect's range.
    pub fn with_size(mut self, effect: Effect, size: f64) -> Result<Self, SimError> {
        let (least, most) = effect.range();
        if !(least..=most).contains(&size) {
            return Err(SimError::Effect {
                expected: format!("{}={least} to {most}", effect.name()),
                found: size.to_string(),
            });
        }
        self.sizes.insert(effect, size);
        Ok(self)
    }

    /// The size of an effect that is on.
    pub fn size(&self, effect: Effect) -> Option<f64> {
        self.sizes.get(&effect).copied()
    }

    /// Whether an effect is on.
    pub fn has(&self, effect: Effect) -> bool {
        self.sizes.contains_key(&effect)
    }

    /// Effects that are on, with their sizes.
    pub fn iter(&self) -> impl Iterator<Item = (Effect, f64)> + '_ {
        self.sizes.iter().map(|(effect, size)| (*effect, *size))
    }
}

impl FromStr for Effects {
    type Err = SimError;

    /// Reads `name` and `name=size` separated by commas; a name is an effect's or one of the sets `none`, `standard`,
    /// `all`. What comes later replaces what came before.
    fn from_str(list: &str) -> Result<Self, SimError> {
        let mut effects = Self::NONE;
        for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, size) =
                item.split_once('=').map_or((item, None), |(name, size)| (name, Some(size)));
            let set = match name {
                "none" => Some(Self::NONE),
                "standard" => Some(Self::standard()),
                "all" => Some(Self::all()),
                _ => None,
            };
            effects = match (set, size) {
                (Some(set), None) => {
                    set.iter().try_fold(effects, |it, (effect, size)| it.with_size(effect, size))?
                }
                (Some(_), Some(_)) => return Err(unknown(item)),
                (None, size) => {
                    let effect = Effect::ALL.into_iter().find(|effect| effect.name() == name);
                    let effect = effect.ok_or_else(|| unknown(item))?;
                    match size {
                        None => effects.with(effect),
                        Some(size) => {
                            let size = size.parse().map_err(|_| unknown(item))?;
                            effects.with_size(effect, size)?
                        }
                    }
                }
            };
        }
        Ok(effects)
    }
}

fn unknown(item: &str) -> SimError {
    let names: Vec<&str> = Effect::ALL.into_iter().map(Effect::name).collect();
    SimError::Effect {
        expected: format!("NAME or NAME=SIZE of none, standard, all, {}", names.join(", ")),
        found: item.to_owned(),
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sizes.is_empty() {
            return f.write_str("none");
        }
        for (place, (effect, size)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{}={size}", effect.name())?;
        }
        Ok(())
    }
}
