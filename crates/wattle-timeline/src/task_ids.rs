//! Who is who: indices into a timeline and the kernel's own numbers.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a vector.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// One process of a timeline: index into [`crate::Tasks::processes`]. Perfetto's `upid`.
    ProcessId
);
id!(
    /// One thread of a timeline: index into [`crate::Tasks::threads`]. Perfetto's `utid`.
    ThreadId
);
id!(
    /// A logical CPU, by the kernel's number: index into [`crate::Timeline::cpus`].
    CpuId
);
id!(
    /// An interned string of [`crate::Names`].
    NameId
);
id!(
    /// The kernel's process id (thread group id). Reused.
    Pid
);
id!(
    /// The kernel's thread id. Reused.
    Tid
);
id!(
    /// Android's app uid, user included (`user * 100000 + app id`).
    Uid
);

impl ThreadId {
    /// The idle task ("swapper") of every CPU. Always the first thread of a timeline.
    pub const IDLE: Self = Self(0);

    /// Whether this is the idle task.
    pub const fn is_idle(self) -> bool {
        self.0 == 0
    }
}
