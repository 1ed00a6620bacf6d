//! Physics of one phone beyond its power curves: everything that an estimator does not know.

mod binning;
mod method_traits;
mod rail_error;
mod root_seed;

use crate::SplitMix64;
use crate::curve_error::TrueCurves;
use crate::{Effect, Effects, PhoneSpec};

use method_traits::MethodTraits;
pub(crate) use rail_error::RailError;
use root_seed::RootSeed;

/// The drawn physics of one phone and of the code that runs on it.
#[derive(Clone, Debug)]
pub(crate) struct Nature {
    effects: Effects,
    seed: RootSeed,
    /// Drawn while the phone runs: the part of each call.
    calls: SplitMix64,
    /// By node of the call trees.
    methods: Vec<MethodTraits>,
    pub rail_errors: Vec<RailError>,
}

impl Nature {
    /// The physics of a phone. With no effects everything is as the curves say.
    pub fn new(effects: &Effects, spec: &PhoneSpec, seed: u64) -> Self {
        let random = SplitMix64::new(seed);
        Self {
            effects: effects.clone(),
            seed: RootSeed::new(seed),
            calls: random.fork(21),
            methods: Vec::new(),
            rail_errors: rail_error::draw(effects, spec, random.fork(22)),
        }
    }

    /// Changes the curves of a phone by what its chip differs from others.
    pub fn bin(effects: &Effects, curves: &mut TrueCurves, seed: u64) {
        if let Some(size) = effects.size(Effect::Binning) {
            binning::apply(curves, size, SplitMix64::new(seed).fork(23));
        }
    }

    /// A node of a call tree is entered for the first time or again: a thread's root has the thread's index and no name.
    pub fn know(&mut self, node: usize, task: usize, name: &str) {
        if node == self.methods.len() {
            self.methods.push(MethodTraits::new(self.seed.draws(task, name)));
        }
    }

    /// Draws the factor of one call on the active power of its core.
    pub fn call_factor(&mut self) -> f64 {
        self.effects.size(Effect::Activity).map_or(1.0, |size| {
            method_traits::mean_one(size * method_traits::CALL_SHARE, self.calls.normal())
        })
    }

    /// The factor of a node's code on the active power of its core at an instant in nanoseconds.
    pub fn activity(&self, node: usize, call_factor: f64, now: i64) -> f64 {
        match (self.effects.size(Effect::Activity), self.methods.get(node)) {
            (Some(size), Some(method)) => call_factor * method.activity(size, now),
            _ => 1.0,
        }
    }
}
