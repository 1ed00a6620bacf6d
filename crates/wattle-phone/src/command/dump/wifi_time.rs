//! Times that the Wi-Fi controller reports.

/// Throughput in bits per millisecond: a home network of 802.11n, less its own overhead.
const BITS_PER_MS: u64 = 40_000;
/// Microseconds of a packet beside its bits: waiting for the air, preamble, acknowledgement.
const PACKET_MICROS: u64 = 100;

/// Milliseconds in which the controller received and sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WifiTime {
    pub(super) rx_ms: u64,
    pub(super) tx_ms: u64,
}

impl WifiTime {
    /// Both.
    pub(super) const fn on_air(self) -> u64 {
        self.rx_ms.saturating_add(self.tx_ms)
    }
}

impl std::iter::Sum for WifiTime {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, it| Self {
            rx_ms: sum.rx_ms.saturating_add(it.rx_ms),
            tx_ms: sum.tx_ms.saturating_add(it.tx_ms),
        })
    }
}

/// Milliseconds on the air of so much traffic in one direction.
pub(super) const fn air_ms(bytes: u64, packets: u64) -> u64 {
    let bits = bytes.saturating_mul(8);
    (bits / BITS_PER_MS).saturating_add(packets.saturating_mul(PACKET_MICROS) / 1000)
}
