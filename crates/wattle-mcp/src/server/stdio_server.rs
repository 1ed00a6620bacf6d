//! The server over standard input and output.

use std::io::BufReader;
use std::sync::Arc;

use rmcp::ServiceExt as _;

use super::energy_server::EnergyServer;
use super::line_messages::LineMessages;
use crate::mcp_setup::ServerSetup;

/// Serves the client that started this program, until it closes standard input.
///
/// # Errors
/// A message if the runtime cannot start or the connection fails before the client has introduced itself.
pub fn serve_stdio(setup: ServerSetup) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let server = EnergyServer::new(Arc::new(setup));
    let jobs = server.jobs();
    let input = BufReader::new(std::io::stdin());
    let (messages, writer) =
        LineMessages::start(input, std::io::stdout()).map_err(|error| error.to_string())?;
    let served = runtime.block_on(async move {
        match server.serve(messages).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            // A client that goes away before it says anything is no failure.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // What is still being analysed is for nobody.
    jobs.cancel_all();
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    writer.finish();
    served
}
