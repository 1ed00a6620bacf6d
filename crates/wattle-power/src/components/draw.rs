//! Consumption by a figure, in the unit it is known in.

use std::ops::{Add, AddAssign, Mul, Sub};

use wattle_units::{Amperes, Coulombs, Joules, Volts, Watts};

use crate::{Figure, Figures, Measure};

/// Drawn while something is on: a current at the battery's voltage, a power, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rate {
    pub(super) current: Amperes,
    pub(super) power: Watts,
}

/// Drawn in all: a charge at the battery's voltage, an energy, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Drawn {
    pub(super) charge: Coulombs,
    pub(super) energy: Joules,
}

impl Rate {
    /// For so many seconds.
    pub(super) fn over(self, seconds: f64) -> Drawn {
        Drawn {
            charge: Coulombs::new(self.current.value() * seconds),
            energy: Joules::new(self.power.value() * seconds),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.current == Amperes::ZERO && self.power == Watts::ZERO
    }

    /// The power at a voltage of the battery.
    pub(super) fn at(self, voltage: Volts) -> Watts {
        self.current * voltage + self.power
    }

    /// The larger, at the nominal voltage.
    pub(super) fn max(self, other: Self) -> Self {
        let weight = |rate: Self| rate.over(1.0).weight();
        if weight(other) > weight(self) { other } else { self }
    }
}

impl Mul<f64> for Rate {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { current: self.current * factor, power: self.power * factor }
    }
}

impl Add for Rate {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { current: self.current + other.current, power: self.power + other.power }
    }
}

impl Drawn {
    /// A charge that Android counted, in mAh.
    pub(super) fn milliampere_hours(value: f64) -> Self {
        Self { charge: Coulombs::from_microampere_hours(value * 1e3), energy: Joules::ZERO }
    }

    /// For comparison and division: joules at a lithium-ion battery's nominal voltage.
    pub(super) fn weight(self) -> f64 {
        self.charge.value() * crate::voltage::NOMINAL.value() + self.energy.value()
    }

    pub(super) fn is_zero(self) -> bool {
        self.charge == Coulombs::ZERO && self.energy == Joules::ZERO
    }

    /// Returns the remainder; nothing where the others took more.
    pub(super) fn less(self, taken: Self) -> Self {
        let left = self - taken;
        Self { charge: left.charge.max(Coulombs::ZERO), energy: left.energy.max(Joules::ZERO) }
    }

    /// Spread over so many seconds.
    pub(super) fn per(self, seconds: f64) -> Rate {
        Rate {
            current: Amperes::new(self.charge.value() / seconds),
            power: Watts::new(self.energy.value() / seconds),
        }
    }
}

impl Add for Drawn {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { charge: self.charge + other.charge, energy: self.energy + other.energy }
    }
}

impl AddAssign for Drawn {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Drawn {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { charge: self.charge - other.charge, energy: self.energy - other.energy }
    }
}

impl Mul<f64> for Drawn {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { charge: self.charge * factor, energy: self.energy * factor }
    }
}

impl std::iter::Sum for Drawn {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        let (charges, energies): (Vec<_>, Vec<_>) =
            iter.map(|drawn| (drawn.charge, drawn.energy)).unzip();
        Self { charge: charges.into_iter().sum(), energy: energies.into_iter().sum() }
    }
}

/// Figures with what is known of the voltage: how a controller's current becomes power.
#[derive(Clone, Copy)]
pub(super) struct Rates<'a> {
    pub(super) figures: &'a Figures,
    /// Whether the battery's voltage was measured. A controller's own voltage stands in where it was not.
    pub(super) measured_voltage: bool,
}

impl Rates<'_> {
    /// By name, and by level where a figure has several: past the last level, the last.
    pub(super) fn get(&self, name: &str, level: usize) -> Option<Rate> {
        rate(self.figures.get(name)?, level)
    }

    /// The first of several.
    pub(super) fn first(&self, name: &str) -> Option<Rate> {
        self.get(name, 0)
    }

    /// That of a radio's controller: at `<controller>.voltage` where the battery's voltage was not measured.
    pub(super) fn radio(&self, name: &str, level: usize, voltage: &str) -> Option<Rate> {
        Some(self.of_controller(self.get(name, level)?, voltage))
    }

    /// A charge that a radio's controller counted, at its own voltage where that is known: Android made it of
    /// an energy with just that voltage.
    pub(super) fn counted(&self, milliampere_hours: f64, voltage: &str) -> Drawn {
        let drawn = Drawn::milliampere_hours(milliampere_hours);
        match self.controller_volts(voltage) {
            Some(volts) => Drawn {
                charge: Coulombs::ZERO,
                energy: Joules::new(drawn.charge.value() * volts.value()),
            },
            None => drawn,
        }
    }

    /// A current that a rule itself states.
    pub(super) fn of_milliamperes(&self, milliamperes: f64, voltage: &str) -> Rate {
        let rate = Rate { current: Amperes::from_milliamperes(milliamperes), power: Watts::ZERO };
        self.of_controller(rate, voltage)
    }

    fn of_controller(&self, rate: Rate, voltage: &str) -> Rate {
        match self.controller_volts(voltage) {
            Some(volts) if !self.measured_voltage => {
                Rate { current: Amperes::ZERO, power: rate.at(volts) }
            }
            _ => rate,
        }
    }

    fn controller_volts(&self, name: &str) -> Option<Volts> {
        self.figures.value(name).filter(|volts| *volts > 0.0).map(Volts::new)
    }
}

fn rate(figure: &Figure, level: usize) -> Option<Rate> {
    let value = *figure.values.get(level).or(figure.values.last())?;
    match figure.unit {
        Measure::Milliamperes => {
            Some(Rate { current: Amperes::from_milliamperes(value), power: Watts::ZERO })
        }
        Measure::Milliwatts => {
            Some(Rate { current: Amperes::ZERO, power: Watts::from_milliwatts(value) })
        }
        _ => None,
    }
}
