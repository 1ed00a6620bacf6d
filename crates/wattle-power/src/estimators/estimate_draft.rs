//! The output of all estimators while it is being made.

use wattle_timeline::Window;
use wattle_units::{Estimate, Nanos, Provenance};

use crate::note::PowerNote;
use crate::power_coverage::{CoverageParts, EstimatedFrom, WindowSet};
use crate::rails::ScaledTrack;
use crate::stated_energies::{AndroidEstimate, RailsCounted};
use crate::{
    Component, ErrorModel, ModelFacts, PowerEstimate, PowerTrack, RailPeriods, RailSummary,
};

/// The power of one component, as one estimator knows it.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) component: Component,
    pub(crate) from: EstimatedFrom,
    pub(crate) provenance: Provenance,
    pub(crate) extent: Extent,
    /// Time that is covered beyond that of the claim's tracks: it is known that nothing was drawn.
    pub(crate) windows: Vec<Window>,
}

/// Extent of a claim: what it leaves for later estimators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing of the component.
    Component,
    /// Nothing of any component: a constant and terms fitted to the whole device's power.
    Device,
}

/// All that one estimator adds.
///
/// Its tracks refer to error sources of [`Self::errors`]; the draft renumbers both.
pub(crate) struct Contribution {
    tracks: Vec<PowerTrack>,
    claims: Vec<Claim>,
    /// By track: its claim.
    claim_of: Vec<usize>,
    errors: ErrorModel,
}

impl Contribution {
    pub(crate) fn new(errors: ErrorModel) -> Self {
        Self { tracks: Vec::new(), claims: Vec::new(), claim_of: Vec::new(), errors }
    }

    /// Adds a track, which claims its component.
    pub(crate) fn track(&mut self, track: PowerTrack, from: EstimatedFrom, provenance: Provenance) {
        let claim = self.claim(&track.component, from, provenance);
        self.tracks.push(track);
        self.claim_of.push(claim);
    }

    /// Adds a track whose provenance is that of its first segment's error source.
    pub(crate) fn track_of_source(&mut self, track: PowerTrack, from: EstimatedFrom) {
        let source = track.get(0).and_then(|s| self.errors.sources.get(usize::from(s.source.0)));
        let provenance = source.map_or(Provenance::Modelled, |source| source.provenance);
        self.track(track, from, provenance);
    }

    /// Claims a component for stretches of time in which it can have drawn nothing, so that there is no track.
    pub(crate) fn cover(
        &mut self,
        component: &Component,
        from: EstimatedFrom,
        windows: Vec<Window>,
    ) {
        let is_it = |claim: &Claim| claim.component == *component && claim.from == from;
        let known = self.claims.iter().position(is_it);
        let claim = known.unwrap_or_else(|| self.claim(component, from, Provenance::Modelled));
        self.claims[claim].windows.extend(windows);
    }

    /// Leaves nothing of any component to others.
    pub(crate) fn claim_device(&mut self) {
        for claim in &mut self.claims {
            claim.extent = Extent::Device;
        }
    }

    /// The number of the claim on a component.
    fn claim(
        &mut self,
        component: &Component,
        from: EstimatedFrom,
        provenance: Provenance,
    ) -> usize {
        let is_it = |claim: &Claim| {
            claim.component == *component && claim.from == from && claim.provenance == provenance
        };
        if let Some(known) = self.claims.iter().position(is_it) {
            return known;
        }
        self.claims.push(Claim {
            component: component.clone(),
            from,
            provenance,
            extent: Extent::Component,
            windows: Vec::new(),
        });
        self.claims.len() - 1
    }
}

/// An estimate that is being made.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) errors: ErrorModel,
    /// By CPU: how much earlier than logged a core leaves deep idle.
    pub(crate) deep_idle_exit: Vec<Nanos>,
    /// The model of the CPU.
    pub(crate) model: Option<ModelFacts>,
    /// The CPU's energy by an applicable model, by its index, before rails scaled it.
    pub(crate) cpu_energy: Option<(usize, Estimate)>,
    pub(crate) rails: Vec<RailSummary>,
    /// Energies that rails counted, period by period, of those that scaled tracks.
    pub(crate) rail_periods: Vec<RailPeriods>,
    /// Sum of what all rails counted.
    pub(crate) rails_counted: Option<RailsCounted>,
    claims: Vec<Claim>,
    /// By track: its claim.
    claim_of: Vec<usize>,
    scaled: Vec<ScaledTrack>,
    notes: Vec<PowerNote>,
}

impl Draft {
    /// The part of Android's own estimate: *used* if most components are estimated by it.
    pub(crate) fn android_estimate(&self) -> AndroidEstimate {
        let by_android = |claim: &&Claim| claim.from == EstimatedFrom::AndroidEstimate;
        if self.has_note(&PowerNote::AndroidEstimatePlaceholder) {
            AndroidEstimate::Placeholder
        } else if 2 * self.claims.iter().filter(by_android).count() > self.claims.len() {
            AndroidEstimate::Used
        } else {
            AndroidEstimate::Unused
        }
    }

    /// Appends a contribution.
    pub(crate) fn add(&mut self, contribution: Contribution) {
        let shift = self.errors.append(contribution.errors);
        let tracks = contribution.tracks.into_iter();
        let tracks = tracks.map(|track| track.with_sources_shifted(shift)).collect();
        self.take(tracks, contribution.claims, contribution.claim_of);
    }

    fn take(&mut self, tracks: Vec<PowerTrack>, claims: Vec<Claim>, claim_of: Vec<usize>) {
        let first = self.claims.len();
        self.claims.extend(claims);
        self.claim_of.extend(claim_of.into_iter().map(|claim| first + claim));
        self.tracks.extend(tracks);
    }

    /// Appends the tracks of rails, whose sources are already those of the draft, and what they scaled.
    pub(crate) fn add_measured(&mut self, tracks: Vec<PowerTrack>, scaled: Vec<ScaledTrack>) {
        let mut rails = Contribution::new(ErrorModel::default());
        for track in tracks {
            rails.track(track, EstimatedFrom::Rails, Provenance::Measured);
        }
        self.take(rails.tracks, rails.claims, rails.claim_of);
        self.scaled.extend(scaled);
    }

    /// The claim that leaves nothing of a component to others.
    pub(crate) fn claim_on(&self, component: &Component) -> Option<&Claim> {
        let holds =
            |claim: &&Claim| claim.extent == Extent::Device || claim.component == *component;
        self.claims.iter().find(holds)
    }

    /// Whether a track of the component exists.
    pub(crate) fn has(&self, component: &Component) -> bool {
        self.claims.iter().any(|claim| claim.component == *component)
    }

    pub(crate) fn note(&mut self, note: PowerNote) {
        self.notes.push(note);
    }

    pub(crate) fn notes(&mut self, notes: impl IntoIterator<Item = PowerNote>) {
        self.notes.extend(notes);
    }

    pub(crate) fn has_note(&self, note: &PowerNote) -> bool {
        self.notes.contains(note)
    }

    /// Drops the notes that the CPU has no estimate: there is one now.
    pub(crate) fn settle_cpu(&mut self) {
        self.notes.retain(|note| !note.is_lack_of_cpu());
    }

    /// The estimate inside a window, but for what is compared with it: the battery, other models.
    pub(crate) fn finish(self, window: Window) -> PowerEstimate {
        let mut parts = CoverageParts::default();
        let mut by_rails: Vec<Option<&WindowSet>> = vec![None; self.tracks.len()];
        for scaled in &self.scaled {
            if let Some(of) = by_rails.get_mut(scaled.track) {
                *of = Some(&*scaled.measured);
            }
        }
        for claim in &self.claims {
            let windows = claim.windows.iter().copied();
            parts.add(&claim.component, claim.from, claim.provenance, windows);
        }
        for ((track, claim), rails) in self.tracks.iter().zip(&self.claim_of).zip(&by_rails) {
            let claim = &self.claims[*claim];
            let Some(measured) = rails else {
                parts.add(&track.component, claim.from, claim.provenance, [track.window()]);
                continue;
            };
            let all: WindowSet = [track.window()].into_iter().collect();
            let scaled = measured.within(track.window());
            let rest = all.difference(&scaled);
            parts.add(&track.component, claim.from, claim.provenance, rest.iter());
            parts.add(&track.component, EstimatedFrom::Rails, Provenance::Measured, scaled.iter());
        }
        let is_whole_device = self.claims.iter().any(|claim| claim.extent == Extent::Device);
        let inside = self.tracks.into_iter().map(|track| track.clipped(window));
        PowerEstimate {
            tracks: inside.filter(|track| !track.is_empty()).collect(),
            errors: self.errors,
            coverage: parts.finish(window, is_whole_device),
            deep_idle_exit: self.deep_idle_exit,
            model: self.model,
            rails: self.rails,
            rail_periods: self.rail_periods,
            notes: self.notes.iter().map(PowerNote::to_note).collect(),
            ..PowerEstimate::default()
        }
    }
}
