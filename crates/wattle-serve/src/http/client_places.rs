//! Connections of one client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use wattle_jobs::network_of;

/// The number of open connections of each client. Copies are the same.
#[derive(Clone, Debug)]
pub struct ClientPlaces {
    most: usize,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The place of one connection. It is given back when dropped.
#[derive(Debug)]
pub struct ClientPlace {
    client: IpAddr,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl ClientPlaces {
    /// With so many for each client.
    pub fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// A place for a connection of a client, unless it has all of them.
    pub fn take(&self, client: IpAddr) -> Option<ClientPlace> {
        let client = network_of(client);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(client).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(ClientPlace { client, taken: Arc::clone(&self.taken) })
    }
}

impl Drop for ClientPlace {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.client) {
            *count -= 1;
            // Clients that have gone are not remembered.
            if *count == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_by_client_and_given_back() {
        let places = ClientPlaces::new(2);
        let client = |last| IpAddr::from([10, 0, 0, last]);
        let first = places.take(client(1));
        let second = places.take(client(1));
        assert!(first.is_some() && second.is_some() && places.take(client(1)).is_none());
        assert!(places.take(client(2)).is_some(), "another client has places of its own");
        drop(first);
        assert!(places.take(client(1)).is_some());
        drop(second);
        assert!(places.taken.lock().expect("a lock").is_empty());
        let of = |text: &str| places.take(text.parse().expect("an address"));
        let same = [of("2001:db8::1"), of("2001:db8::2")];
        assert!(same.iter().all(Option::is_some) && of("2001:db8::3").is_none());
    }
}
