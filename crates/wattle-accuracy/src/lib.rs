//! How accurate every model is - importers of published data sets and the table of errors.
