//! A walker of its own.
