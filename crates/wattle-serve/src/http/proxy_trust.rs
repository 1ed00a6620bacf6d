//! Proxies that are believed.

use std::net::IpAddr;
use std::str::FromStr;

/// A network whose machines are believed: one address, or those with the same first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedNetwork {
    address: IpAddr,
    bits: u32,
}

impl TrustedNetwork {
    fn contains(&self, peer: IpAddr) -> bool {
        let is_same = |ours: u128, theirs: u128, width: u32| {
            let shift = width - self.bits.min(width);
            ours.checked_shr(shift).unwrap_or(0) == theirs.checked_shr(shift).unwrap_or(0)
        };
        match (self.address, peer.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                is_same(ours.to_bits().into(), theirs.to_bits().into(), 32)
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => {
                is_same(ours.to_bits(), theirs.to_bits(), 128)
            }
            _ => false,
        }
    }
}

impl FromStr for TrustedNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("expected an address or a network such as 10.0.0.0/8, found {text:?}");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address = address.parse::<IpAddr>().map_err(|_| wrong())?.to_canonical();
        let width = if address.is_ipv4() { 32 } else { 128 };
        match bits.unwrap_or(width) {
            // Everybody is no proxy.
            bits @ 1.. if bits <= width => Ok(Self { address, bits }),
            _ => Err(wrong()),
        }
    }
}

/// The peers of which headers about clients are believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxyTrust {
    /// None.
    #[default]
    Nobody,
    /// Every one: nothing but the proxy reaches the server.
    Everybody,
    /// Those of some networks.
    These(Vec<TrustedNetwork>),
}

impl ProxyTrust {
    /// Whether a peer is believed.
    pub fn believes(&self, peer: IpAddr) -> bool {
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::These(networks) => networks.iter().any(|network| network.contains(peer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(network: &str, peer: &str, is_in: bool) {
        let trust = ProxyTrust::These(vec![network.parse().expect("a network")]);
        assert_eq!(trust.believes(peer.parse().expect("an address")), is_in, "{network} {peer}");
    }

    #[test]
    fn networks_contain_their_own() {
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("127.0.0.1", "::ffff:127.0.0.1", true);
        check("10.0.0.0/8", "10.255.3.4", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("fd00::/8", "fd12::1", true);
        check("fd00::/8", "fe80::1", false);
        check("fd00::/8", "10.0.0.1", false);
        for text in
            ["", "10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0/8", "proxy.example", "1.2.3.4/x"]
        {
            assert!(text.parse::<TrustedNetwork>().is_err(), "{text}");
        }
    }
}
