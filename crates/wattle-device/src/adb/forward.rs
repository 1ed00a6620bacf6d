//! Ports of one side that lead to the other.

use super::{AdbDevice, AdbServer};
use crate::{Cancel, DeviceError};

/// A port that leads to the other side. Dropping it takes it away again.
#[derive(Debug)]
pub struct Forward {
    server: AdbServer,
    serial: String,
    direction: Direction,
    /// The listening end, as adb names it.
    listener: String,
    port: Option<u16>,
    is_kept: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// Listens here, leads to the device.
    ToDevice,
    /// Listens on the device, leads here.
    ToHost,
}

impl AdbDevice {
    /// Lets a place of this machine (`tcp:0` for any free port) lead to a place of the device (`tcp:8080`,
    /// `localabstract:name`). An earlier use of the same place is replaced.
    pub fn forward(&self, local: &str, remote: &str) -> Result<Forward, DeviceError> {
        let what = format!("forwarding {local} to {remote} of {}", self.serial);
        let deadline = self.server.deadline(what);
        let mut link = self.server.link()?;
        let request = format!("host-serial:{}:forward:{local};{remote}", self.serial);
        link.ask(&request, &deadline)?;
        link.expect_okay(&deadline)?;
        // Only a port that the server chose is told.
        let told = if local == "tcp:0" { Some(link.string(&deadline)?) } else { None };
        self.made(Direction::ToDevice, local, told.as_deref())
    }

    /// Lets a place of the device lead to a place of this machine.
    pub fn reverse(&self, remote: &str, local: &str) -> Result<Forward, DeviceError> {
        let what = format!("forwarding {remote} of {} to {local}", self.serial);
        let mut link = self.server.transport(&self.serial, &what)?;
        let deadline = self.server.deadline(what);
        link.ask(&format!("reverse:forward:{remote};{local}"), &deadline)?;
        link.expect_okay(&deadline)?;
        let told = if remote == "tcp:0" { Some(link.string(&deadline)?) } else { None };
        self.made(Direction::ToHost, remote, told.as_deref())
    }

    fn made(
        &self,
        direction: Direction,
        listener: &str,
        told: Option<&str>,
    ) -> Result<Forward, DeviceError> {
        let port = match told {
            Some(port) => Some(port.parse().map_err(|_| DeviceError::Garbled {
                peer: self.serial.clone(),
                what: "forwarding a port".to_owned(),
                expected: "the number of a port",
                found: port.to_owned(),
            })?),
            None => listener.strip_prefix("tcp:").and_then(|port| port.parse().ok()),
        };
        Ok(Forward {
            server: self.server.clone(),
            serial: self.serial.clone(),
            direction,
            listener: port.map_or_else(|| listener.to_owned(), |port| format!("tcp:{port}")),
            port,
            is_kept: false,
        })
    }
}

impl Forward {
    /// The port that listens; `None` if it is no TCP port.
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    /// The listening place as adb names it (`tcp:5000`).
    pub fn listener(&self) -> &str {
        &self.listener
    }

    /// Leaves it there.
    pub fn keep(mut self) {
        self.is_kept = true;
    }

    /// Takes it away, and says if that failed.
    pub fn remove(mut self) -> Result<(), DeviceError> {
        self.is_kept = true;
        self.take_away()
    }

    fn take_away(&self) -> Result<(), DeviceError> {
        // Tidying up goes on after a cancelled run.
        let server = self.server.with_cancel(Cancel::new());
        let what = format!("ending the forwarding of {}", self.listener);
        let deadline = server.deadline(what.as_str());
        match self.direction {
            Direction::ToDevice => {
                let mut link = server.link()?;
                let request = format!("host-serial:{}:killforward:{}", self.serial, self.listener);
                link.ask(&request, &deadline)?;
                link.expect_okay(&deadline)
            }
            Direction::ToHost => {
                let mut link = server.transport(&self.serial, &what)?;
                link.ask(&format!("reverse:killforward:{}", self.listener), &deadline)?;
                link.expect_okay(&deadline)
            }
        }
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        if !self.is_kept {
            // A device that is gone took its ports with it.
            let _left = self.take_away();
        }
    }
}
