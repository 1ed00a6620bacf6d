//! `date` and `uptime`.

use std::io;

use chrono::{Datelike as _, Timelike as _};

use crate::local_calendar::{local_date, zone_digits};
use crate::tool::Call;

pub(super) fn date(call: &mut Call) -> io::Result<u8> {
    let clock = &call.core.clock;
    let mut zone = clock.zone_offset();
    let mut format = "%a %b %e %H:%M:%S %Z %Y".to_owned();
    let mut nanos = clock.wall();
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-u" => zone = 0,
            "-d" => {
                let at = words.next().and_then(|at| at.strip_prefix('@')?.parse::<i64>().ok());
                match at.and_then(|at| at.checked_mul(1_000_000_000)) {
                    Some(at) => nanos = at,
                    None => return call.fail("date: bad date"),
                }
            }
            _ => match word.strip_prefix('+') {
                Some(own) => own.clone_into(&mut format),
                // Setting the clock is for root.
                None => return call.fail("date: cannot set date: Operation not permitted"),
            },
        }
    }
    let text = strftime(&format, nanos, zone);
    call.out(text + "\n").map(|()| 0)
}

fn strftime(format: &str, nanos: i64, zone: i32) -> String {
    let date = local_date(nanos, zone);
    let mut text = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let piece = match letters.next() {
            Some('s') => nanos.div_euclid(1_000_000_000).to_string(),
            Some('N') => format!("{:09}", date.nanosecond()),
            Some('Y') => date.year().to_string(),
            Some(
                letter @ ('y' | 'm' | 'd' | 'e' | 'j' | 'H' | 'M' | 'S' | 'F' | 'T' | 'a' | 'b'),
            ) => date.format(&format!("%{letter}")).to_string(),
            Some('Z') if zone == 0 => "UTC".to_owned(),
            Some('z' | 'Z') => zone_digits(zone),
            Some('n') => "\n".to_owned(),
            Some('%') | None => "%".to_owned(),
            Some(other) => format!("%{other}"),
        };
        text += &piece;
    }
    text
}

pub(super) fn uptime(call: &mut Call) -> io::Result<u8> {
    let minutes = call.core.clock.boot().value() / 60_000_000_000;
    let date = local_date(call.core.clock.wall(), call.core.clock.zone_offset());
    let text = format!(
        " {} up {} days, {:>2}:{:02},  0 users,  load average: 0.20, 0.25, 0.24\n",
        date.format("%T"),
        minutes / 1440,
        minutes / 60 % 24,
        minutes % 60
    );
    call.out(text).map(|()| 0)
}
