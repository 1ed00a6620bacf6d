//! A server: listens, answers, runs jobs, and ends in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower_http::catch_panic::CatchPanicLayer;
use wattle_jobs::{Housekeeping, ServerData, ServerLocation, StopSignal, Worker, WorkerSettings};

use crate::api::api_routes;
use crate::device_watch::watch_devices;
use crate::health::{health, metrics, readiness};
use crate::http::{
    OriginPolicy, ProxyTrust, RequestRates, ServedMetrics, WebError, WebErrorKind, add_headers,
    check_origin, journal, limit_rates, serve_connections, show_errors,
};
use crate::kept_tracks::KeptTracks;
use crate::pages::{error_page, page_routes};
use crate::rendered_views::RenderedViews;
use crate::serve_error::ServeError;
use crate::server_options::ServerOptions;
use crate::site::{Histories, Readiness, Site, SiteSettings, check_login_header};
use crate::web_assets;

/// The name of the first project.
pub const FIRST_PROJECT: &str = "default";

/// Time between two looks of a server without workers at what is left to do.
const HOUSEKEEPING: Duration = Duration::from_secs(2);

/// A server that listens, and does not answer yet.
pub struct Server {
    options: ServerOptions,
    listener: TcpListener,
    address: SocketAddr,
    site: Arc<Site>,
    policy: OriginPolicy,
    end: watch::Sender<bool>,
}

/// The place of a server's data.
pub fn location(options: &ServerOptions) -> ServerLocation {
    match &options.database {
        Some(url) => ServerLocation::with_postgres(&options.data, url),
        None => ServerLocation::in_folder(&options.data),
    }
}

/// Opens a server's data, and creates them with a first project if there are none.
///
/// # Errors
/// If they cannot be opened, or are of a later version.
pub async fn open_data(options: &ServerOptions) -> Result<ServerData, ServeError> {
    let data = ServerData::open(&location(options), options.limits.clone()).await?;
    if data.projects().all().await?.is_empty() {
        match data.projects().create(FIRST_PROJECT, "Default", None).await {
            // Another program may have been faster.
            Ok(_) | Err(wattle_jobs::ServerError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(data)
}

impl Server {
    /// Opens the data and listens.
    ///
    /// # Errors
    /// If others could reach it and it has no users, if the address is taken, or if the data cannot be opened.
    pub async fn open(options: ServerOptions) -> Result<Self, ServeError> {
        let data = open_data(&options).await?;
        let has_users = data.accounts().count().await? > 0;
        if !has_users && !options.bind.ip().is_loopback() {
            return Err(ServeError::NoUsers(options.bind));
        }
        let login_header = options.login_header.as_deref().map(checked_header).transpose()?;
        if login_header.is_some() && !matches!(options.trust, ProxyTrust::These(_)) {
            return Err(ServeError::HeaderWithoutProxy);
        }
        let is_public = options.public_url.is_some() || options.trust != ProxyTrust::Nobody;
        if !has_users && is_public {
            return Err(ServeError::PublicWithoutUsers);
        }
        let listener = TcpListener::bind(options.bind).await;
        let failed = |source| ServeError::Listen { address: options.bind, source };
        let listener = listener.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (public_url, policy) = match &options.public_url {
            Some(url) => {
                let (url, host) = checked_url(url)?;
                (url, OriginPolicy::Hosts(vec![host]))
            }
            None if options.bind.ip().is_loopback() => {
                (format!("http://{address}"), OriginPolicy::Loopback)
            }
            None => (format!("http://{address}"), OriginPolicy::Any),
        };
        let metrics = Arc::new(ServedMetrics::default());
        let (end, ending) = watch::channel(false);
        let settings = SiteSettings {
            has_users,
            is_encrypted: public_url.starts_with("https://"),
            public_url,
            trust: Arc::new(options.trust.clone()),
            login_header,
        };
        let site = Arc::new(Site {
            histories: Histories::new(data.clone()),
            views: RenderedViews::new(
                options.data.join("views"),
                options.view_bytes,
                Arc::clone(&metrics),
            ),
            tracks: KeptTracks::default(),
            data,
            metrics,
            settings,
            ending,
            readiness: Readiness::default(),
        });
        Ok(Self { options, listener, address, site, policy, end })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address under which browsers reach it.
    pub fn url(&self) -> &str {
        &self.site.settings.public_url
    }

    /// Whether users log in.
    pub fn has_users(&self) -> bool {
        self.site.settings.has_users
    }

    /// Its data.
    pub fn data(&self) -> &ServerData {
        &self.site.data
    }

    /// Answers requests and runs jobs until the future is ready. Open requests are finished then, and jobs under way go back to the queue.
    pub async fn run(self, until: impl Future<Output = ()>) {
        let Self { options, listener, site, policy, end, .. } = self;
        let stop = StopSignal::default();
        let mut workers = start_workers(&options, &site.data, &stop);
        let router = router(Arc::clone(&site), policy);
        let serving = serve_connections(
            listener,
            router,
            (options.connections, Arc::clone(&site.settings.trust)),
            (Arc::clone(&site.metrics), site.ending.clone()),
        );
        let mut serving = std::pin::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            () = until => {}
        }
        tracing::info!("ending");
        stop.stop();
        end.send_replace(true);
        serving.await;
        while workers.join_next().await.is_some() {}
        site.data.clone().close().await;
    }
}

/// `https://wattle.example`: the address without a slash at its end, and its host.
fn checked_url(url: &str) -> Result<(String, String), ServeError> {
    let wrong = || ServeError::PublicUrl(url.to_owned());
    let url = url.trim_end_matches('/');
    let (scheme, host) = url.split_once("://").ok_or_else(wrong)?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    if !matches!(scheme, "http" | "https") || host.is_empty() || !host.chars().all(is_host) {
        return Err(wrong());
    }
    Ok((url.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

/// The name of a header in which a proxy names users; not one that clients or browsers send anyway.
fn checked_header(name: &str) -> Result<HeaderName, ServeError> {
    let wrong = || ServeError::LoginHeader(name.to_owned());
    let header: HeaderName = name.parse().map_err(|_| wrong())?;
    let usual = [header::HOST, header::COOKIE, header::AUTHORIZATION, header::USER_AGENT];
    if usual.contains(&header) { Err(wrong()) } else { Ok(header) }
}

fn start_workers(options: &ServerOptions, data: &ServerData, stop: &StopSignal) -> JoinSet<()> {
    let (mut workers, mut shelves) = (JoinSet::new(), Vec::new());
    let machine = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let machine = match machine.trim() {
        "" => "server",
        machine => machine,
    };
    for nth in 0..options.workers {
        let name = format!("{machine}-{}-{nth}", std::process::id());
        let mut settings = WorkerSettings::new(name, &options.program);
        settings.limits = options.children.clone();
        if let Some(devices) = &options.devices {
            settings.device_environment.clone_from(&devices.environment);
        }
        let (worker, stop) = (Worker::new(data.clone(), settings), stop.clone());
        shelves.push(worker.devices());
        let runtime = Handle::current();
        workers.spawn_blocking(move || runtime.block_on(worker.run(stop)));
    }
    if let (Some(source), false) = (options.devices.clone(), shelves.is_empty()) {
        let stop = stop.clone();
        workers.spawn_blocking(move || watch_devices(&source, &shelves, &stop));
    }
    if options.workers == 0 {
        let (mut housekeeping, stop) = (Housekeeping::new(data.clone()), stop.clone());
        let runtime = Handle::current();
        workers.spawn_blocking(move || {
            runtime.block_on(async move {
                while !stop.is_stopping() {
                    if let Err(error) = housekeeping.tick().await {
                        tracing::warn!(%error, "housekeeping");
                    }
                    tokio::time::sleep(HOUSEKEEPING).await;
                }
            });
        });
    }
    workers
}

/// All routes behind all guards. The first layer is the innermost.
fn router(site: Arc<Site>, policy: OriginPolicy) -> Router {
    let metrics_state = Arc::clone(&site.metrics);
    let rates = (Arc::new(RequestRates::default()), Arc::clone(&site.metrics));
    let trust = Arc::clone(&site.settings.trust);
    let header_state = Arc::clone(&site);
    let guarded = page_routes()
        .merge(api_routes())
        .route("/assets/{name}", get(web_assets::asset))
        .fallback(async || WebError::new(WebErrorKind::NotFound, "there is nothing here"))
        .layer(from_fn_with_state(Arc::new(policy), check_origin))
        .layer(from_fn_with_state(header_state, check_login_header))
        .layer(from_fn_with_state(rates, limit_rates));
    // Whoever looks after the machine asks by another name.
    let machine = Router::new()
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .route("/metrics", get(metrics));
    guarded
        .merge(machine)
        .with_state(site)
        .layer(CatchPanicLayer::new())
        .layer(from_fn(|request, next| show_errors(error_page, request, next)))
        .layer(from_fn(add_headers))
        .layer(from_fn_with_state((metrics_state, trust), journal))
}

#[cfg(test)]
mod tests {
    use super::checked_url;

    #[test]
    fn public_addresses_are_checked() {
        let check = |url: &str, expected: Option<(&str, &str)>| {
            let found = checked_url(url).ok();
            let found = found.as_ref().map(|(url, host)| (url.as_str(), host.as_str()));
            assert_eq!(found, expected, "{url}");
        };
        check("https://Wattle.example/", Some(("https://wattle.example", "wattle.example")));
        check("http://10.0.0.1:8080", Some(("http://10.0.0.1:8080", "10.0.0.1:8080")));
        for url in ["wattle.example", "ftp://a", "https://", "https://a/b", "https://a b"] {
            check(url, None);
        }
    }
}
