//! The network of one subscriber.

use std::net::{IpAddr, Ipv6Addr};

/// The network of the subscriber that has an address: a whole /64 of IPv6, one address of IPv4, also of one that is written in IPv6.
pub fn network_of(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(of) => IpAddr::V6(Ipv6Addr::from_bits(of.to_bits() >> 64 << 64)),
        of @ IpAddr::V4(_) => of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscriber_is_one_client() {
        let check = |client: &str, expected: &str| {
            let client = client.parse().expect("an address");
            assert_eq!(network_of(client).to_string(), expected, "{client}");
        };
        check("2001:db8:1:1::1", "2001:db8:1:1::");
        check("2001:db8:1:1:ffff::2", "2001:db8:1:1::");
        check("2001:db8:1:2::1", "2001:db8:1:2::");
        check("203.0.113.9", "203.0.113.9");
        check("::ffff:203.0.113.9", "203.0.113.9");
    }
}
