//! Device models from recordings and measured power.
