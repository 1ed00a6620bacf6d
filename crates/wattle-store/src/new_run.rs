//! A run that is to be kept.

use wattle_ledger::{Ledger, LedgerError};

use crate::{KeptLedger, RunFacts, RunFigures};

/// A run that is to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The facts that histories are searched by.
    pub facts: RunFacts,
    /// The energies that histories show.
    pub figures: RunFigures,
    /// The ledger, as `--save` writes it.
    pub ledger: Vec<u8>,
}

impl NewRun {
    /// A run with this ledger. Facts that the ledger itself contains fill those that are absent.
    pub fn new(facts: RunFacts, ledger: &Ledger) -> Result<Self, LedgerError> {
        let bytes = ledger.to_bytes()?;
        Ok(Self::with_bytes(facts, ledger, bytes))
    }

    /// The same, where the bytes of the ledger's file are at hand.
    pub fn with_bytes(mut facts: RunFacts, ledger: &Ledger, bytes: Vec<u8>) -> Self {
        facts.complete(ledger);
        let figures = RunFigures::new(ledger, &facts.app.package);
        Self { facts, figures, ledger: bytes }
    }

    /// The ledger's identity.
    pub fn kept_ledger(&self) -> KeptLedger {
        KeptLedger::of_bytes(&self.ledger)
    }
}

impl RunFacts {
    /// Fills facts that are absent by those that a ledger itself contains.
    pub fn complete(&mut self, ledger: &Ledger) {
        let recording = &ledger.recording;
        if self.app.package.is_empty()
            && let Some(app) = recording.apps.first()
        {
            self.app.package.clone_from(app);
        }
        let (device, known) = (&mut self.device, &recording.device);
        let name = known.device_name().map(str::to_owned);
        device.title = device.title.take().or_else(|| known.title().map(str::to_owned));
        // Without a serial number devices of one build are one.
        device.key = device.key.take().or_else(|| known.fingerprint.clone()).or(name);
        if let Some(model) = &ledger.power.model {
            device.model_name.get_or_insert_with(|| model.name.clone());
            device.model_version.get_or_insert(model.version);
        }
        let window = recording.window;
        let seconds = (window.end - window.start).seconds();
        self.circumstances.duration_s.get_or_insert(seconds);
    }
}
