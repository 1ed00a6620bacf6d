//! Limits of `wattle serve`.

use clap::Args;

use super::byte_size::ByteSize;

/// Limits of `wattle serve`.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Limits")]
pub struct ServeLimits {
    /// Largest upload. Sizes are megabytes without a unit: 4096, 500MB, 2GB
    #[arg(long, value_name = "SIZE", default_value = "4096MB")]
    pub upload_limit: ByteSize,
    /// Bytes of the disk that uploads leave free
    #[arg(long, value_name = "SIZE", default_value = "2GB")]
    pub keep_free: ByteSize,
    /// Files of one user, with open uploads and what jobs made
    #[arg(long, value_name = "SIZE", default_value = "100GB")]
    pub user_quota: ByteSize,
    /// Files of one project
    #[arg(long, value_name = "SIZE", default_value = "500GB")]
    pub project_quota: ByteSize,
    /// Files of the whole server
    #[arg(long, value_name = "SIZE", default_value = "1TB")]
    pub server_quota: ByteSize,
    /// Runs in the history of one project
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub project_runs: u64,
    /// Open uploads of one user
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub user_uploads: u64,
    /// Waiting and running jobs of one user
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub user_jobs: u64,
    /// Memory of a job [default: its part of three quarters of the machine's memory, 4 to 16 GiB]
    #[arg(long, value_name = "SIZE")]
    pub job_memory: Option<ByteSize>,
    /// Minutes that a job may take
    #[arg(long, value_name = "MINUTES", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=10_080))]
    pub job_time: u64,
    /// Files that a job may write
    #[arg(long, value_name = "SIZE", default_value = "16GB")]
    pub job_files: ByteSize,
    /// Longest life of a share link in days; a link that would never end lives as long as that [default: any]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub share_days: Option<u32>,
    /// Kept renderings of runs
    #[arg(long, value_name = "SIZE", default_value = "4GB")]
    pub view_files: ByteSize,
    /// Open connections in all
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,
    /// Open connections of one client address; those of a trusted proxy are not counted
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub client_connections: u32,
}
