//! A ledger in the formats of other programs: profilers (pprof, Firefox Profiler, speedscope, collapsed stacks, Perfetto, Chrome)
//! and tables (CSV, JSON, Parquet).
//!
//! Apart from `wattle-report` because of what it needs: Arrow and Parquet are the heaviest things that Wattle links.
