//! The web application of Wattle.
