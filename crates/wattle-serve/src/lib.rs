//! The web application of Wattle.
mod http;
mod ledger_views;
mod pages;
mod rendered_views;
mod web_assets;
