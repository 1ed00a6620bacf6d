//! Names and lines before a shrinker changed them.
//!
//! A [`Mapping`] is a `mapping.txt` of R8 or ProGuard. Who has a method's signature (a package that is being rewritten) asks for a
//! [`Retrace`] of it; who has a name and perhaps a line (a stack that was sampled) asks for [`Alternatives`].
//!
//! ```
//! use wattle_retrace::Mapping;
//!
//! let text = "\
//! com.x.Main -> a.a:
//!     1:1:void com.x.Log.write():7:7 -> b
//!     1:1:void run():20:20 -> b
//! ";
//! let mapping = Mapping::parse(text.as_bytes()).ok_or("no class in it")?;
//! let found = mapping.alternatives("a.a", "b", Some(1));
//! let names: Vec<String> = found.frames().map(|it| format!("{}.{}", it.class, it.name)).collect();
//! assert_eq!(names, ["com.x.Log.write", "com.x.Main.run"]);
//! # Ok::<(), &str>(())
//! ```

mod alternatives;
mod mapping;
mod retrace;

pub use alternatives::Alternatives;
pub use mapping::Mapping;
pub use retrace::{Inlined, Original, Retrace};
