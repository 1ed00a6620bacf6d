//! The probe map, read by its documented keys alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::event::MethodName;

/// A method of the framework that is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api {
    pub class: String,
    /// Name and descriptor, `add(Ljava/lang/Object;)Z`.
    pub method: String,
}

/// Meaning of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbePoint {
    Method(MethodName),
    Call { inside: MethodName, api: Api },
}

/// Numbers and what they stand for.
#[derive(Debug, Default)]
pub struct ProbeMap {
    pub points: BTreeMap<u32, ProbePoint>,
}

impl ProbeMap {
    pub fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let header = lines.next().expect("a header");
        let mut map = Self::default();
        let text = |value: &Value, key: &str| value[key].as_str().expect(key).to_owned();
        let number = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
        for class in lines {
            for method in class["methods"].as_array().unwrap() {
                let name = MethodName {
                    class: text(&class, "class"),
                    name: text(method, "name"),
                    descriptor: text(method, "descriptor"),
                };
                if let Some(id) = number(&method["id"]) {
                    map.add(id, ProbePoint::Method(name.clone()));
                }
                for call in method["calls"].as_array().into_iter().flatten() {
                    let api = Api {
                        class: text(call, "class"),
                        method: text(call, "name") + call["descriptor"].as_str().unwrap(),
                    };
                    let id = number(&call["id"]).expect("a call's number");
                    map.add(id, ProbePoint::Call { inside: name.clone(), api });
                }
            }
        }
        let count = number(&header["probes"]).expect("the number of probes");
        assert_eq!(map.points.len(), count as usize, "probes of the header and of the map");
        map
    }

    fn add(&mut self, id: u32, point: ProbePoint) {
        assert!(self.points.insert(id, point).is_none(), "number {id} stands for two probes");
    }

    /// The methods whose entry and exit have probes.
    pub fn methods(&self) -> BTreeSet<&MethodName> {
        self.points
            .values()
            .filter_map(|point| match point {
                ProbePoint::Method(method) => Some(method),
                ProbePoint::Call { .. } => None,
            })
            .collect()
    }

    /// The calls with probes, by the method that they stand in.
    pub fn calls(&self) -> BTreeMap<&MethodName, BTreeSet<&Api>> {
        let mut calls = BTreeMap::<_, BTreeSet<_>>::new();
        for point in self.points.values() {
            if let ProbePoint::Call { inside, api } = point {
                calls.entry(inside).or_default().insert(api);
            }
        }
        calls
    }
}
