//! Fitting numbers - regression that stays positive, monotone curves, boosted trees, cross-validation, prediction intervals.
