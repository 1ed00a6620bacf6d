//! The devices that a model is for.

use wattle_timeline::Timeline;

use super::Entry;

/// Devices that a model says it is for.
pub(crate) struct MadeFor<'a> {
    pub(crate) socs: &'a [String],
    pub(crate) devices: &'a [String],
    pub(crate) boards: &'a [String],
}

/// Whether a model of the library is for the device of a recording.
pub(crate) fn is_for(entry: &Entry, timeline: &Timeline) -> bool {
    MadeFor::from_entry(entry).why(timeline).is_some()
}

impl<'a> MadeFor<'a> {
    pub(crate) fn from_entry(entry: &'a Entry) -> Self {
        let head = &entry.head;
        Self { socs: head.socs(), devices: head.devices(), boards: head.boards() }
    }
}

impl MadeFor<'_> {
    /// Why the model is for the device of a recording, and how sure that is (0 best).
    pub(crate) fn why(&self, timeline: &Timeline) -> Option<(u8, String)> {
        let has = |names: &[String], name: &&str| {
            names.iter().any(|known| known.eq_ignore_ascii_case(name))
        };
        let device = &timeline.device;
        let soc = device.soc_name();
        if let Some(soc) = soc.filter(|soc| has(self.socs, soc)) {
            return Some((0, format!("SoC {soc:?} of the recording")));
        }
        if let Some(name) = device.device_name().filter(|name| has(self.devices, name)) {
            return Some((1, format!("device {name:?} of the recording")));
        }
        // Where the SoC is not told, recordings have the board's name in its place. A guest's board is not its host's.
        let boards = [device.board.as_deref(), soc].into_iter().flatten();
        let board =
            boards.filter(|_| device.guest_soc.is_none()).find(|name| has(self.boards, name))?;
        Some((2, format!("board {board:?} of the recording")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the match for these facts of the device: SoC, code name, board, guest's host.
    #[track_caller]
    fn check(soc: &str, device: &str, board: &str, expected: Option<(u8, &str)>) {
        let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut timeline = Timeline::default();
        timeline.device.soc = told(soc);
        timeline.device.codename = told(device);
        timeline.device.board = told(board);
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (socs, devices, boards) = (list(&["SM8250"]), list(&["lmi"]), list(&["kona"]));
        let made_for = MadeFor { socs: &socs, devices: &devices, boards: &boards };
        let found = made_for.why(&timeline);
        let found = found.as_ref().map(|(rank, why)| (*rank, why.as_str()));
        assert_eq!(found, expected);
        timeline.device.guest_soc = Some("Tensor".to_owned());
        let of_guest = made_for.why(&timeline).map(|(rank, _)| rank);
        assert_eq!(
            of_guest,
            (device == "lmi").then_some(1),
            "a guest's own SoC and board are not its host's"
        );
    }

    #[test]
    fn a_model_is_chosen_by_soc_then_device_then_board() {
        check("SM8250", "lmi", "kona", Some((0, "SoC \"SM8250\" of the recording")));
        check("sm8250", "", "", Some((0, "SoC \"sm8250\" of the recording")));
        check("", "lmi", "kona", Some((1, "device \"lmi\" of the recording")));
        check("", "other", "kona", Some((2, "board \"kona\" of the recording")));
        check("kona", "", "", Some((2, "board \"kona\" of the recording")));
        check("SM8150", "other", "msmnile", None);
        check("", "", "", None);
    }
}
