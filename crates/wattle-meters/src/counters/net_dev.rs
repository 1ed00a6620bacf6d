//! `/proc/net/dev`: bytes and packets of each interface. The second line of its head names the columns; kernels before 2.2 had no
//! bytes.

use super::counter_value::{Value, number};

pub(crate) fn parse(lines: &[String]) -> Vec<Value> {
    let head = lines.iter().find(|line| line.contains("face") && line.matches('|').count() == 2);
    let Some(head) = head else { return Vec::new() };
    let mut parts = head.split('|').skip(1).map(|part| part.split_whitespace().collect::<Vec<_>>());
    let (receive, transmit) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let at = |columns: &[&str], name| columns.iter().position(|column| *column == name);
    let columns = [
        ("rx_bytes", at(&receive, "bytes")),
        ("rx_packets", at(&receive, "packets")),
        ("tx_bytes", at(&transmit, "bytes").map(|at| at + receive.len())),
        ("tx_packets", at(&transmit, "packets").map(|at| at + receive.len())),
    ];
    let mut values = Vec::new();
    for line in lines.iter().filter(|line| !line.contains('|')) {
        // Names may hold a colon (`eth0:1`), and a number may follow it without a space.
        let Some((interface, rest)) = line.rsplit_once(':') else { continue };
        let fields: Vec<&str> = rest.split_whitespace().collect();
        for (what, at) in columns {
            let value = at.and_then(|at| number(fields.get(at)?));
            if let Some(value) = value {
                values.push(Value::global(format!("net.{}.{what}", interface.trim()), value));
            }
        }
    }
    values
}
