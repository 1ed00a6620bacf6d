//! The database of a server, and what every part of its data needs beside it.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::str::FromStr as _;
use std::sync::Arc;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::pool::PoolConnection;
use sqlx::{
    Any, AnyConnection, AnyPool, ConnectOptions as _, Connection as _, Row as _, Transaction,
};
use tokio::sync::{Mutex, MutexGuard};
use wattle_store::{Dialect, PATIENCE, check_postgres, connect_patiently, sqlite_url};

use super::disk_reserve::DiskReserve;
use super::{ServerError, ServerLimits, ServerLocation, WallClock, server_tables};

/// Connections to the database.
const CONNECTIONS: u32 = 8;

/// The connection of a transaction, as queries take it.
pub(crate) type Connected = AnyConnection;

/// The database of a server, its place, clock and limits. Copies are the same.
#[derive(Clone, Debug)]
pub(crate) struct ServerCore(Arc<CoreParts>);

#[derive(Debug)]
struct CoreParts {
    location: ServerLocation,
    pool: AnyPool,
    dialect: Dialect,
    /// The turn to write. SQLite has one writer at a time, and waits for it by sleeping; here they queue.
    turn: Mutex<()>,
    clock: WallClock,
    limits: ServerLimits,
    reserve: DiskReserve,
}

/// A transaction that writes. Dropped, it changes nothing.
pub(crate) struct WriteTransaction<'a> {
    // Before the turn, so that it ends first.
    part: WritePart,
    _turn: Option<MutexGuard<'a, ()>>,
}

/// The connection of a transaction that writes.
enum WritePart {
    Sqlite(SqliteWrite),
    Postgres(Transaction<'static, Any>),
}

/// SQLite ends a transaction by itself when the disk is full or fails, of which a driver that counts transactions learns nothing. So nobody
/// counts here, and a connection whose transaction was not committed is closed.
struct SqliteWrite {
    connection: PoolConnection<Any>,
    is_committed: bool,
}

impl Drop for SqliteWrite {
    fn drop(&mut self) {
        if !self.is_committed {
            self.connection.close_on_drop();
        }
    }
}

impl WriteTransaction<'_> {
    /// Makes the changes last.
    pub async fn commit(self) -> Result<(), ServerError> {
        match self.part {
            WritePart::Sqlite(mut write) => {
                sqlx::query("COMMIT").execute(&mut *write.connection).await?;
                write.is_committed = true;
            }
            WritePart::Postgres(transaction) => transaction.commit().await?,
        }
        Ok(())
    }
}

impl Deref for WriteTransaction<'_> {
    type Target = Connected;

    fn deref(&self) -> &Connected {
        match &self.part {
            WritePart::Sqlite(write) => &write.connection,
            WritePart::Postgres(transaction) => transaction,
        }
    }
}

impl DerefMut for WriteTransaction<'_> {
    fn deref_mut(&mut self) -> &mut Connected {
        match &mut self.part {
            WritePart::Sqlite(write) => &mut write.connection,
            WritePart::Postgres(transaction) => &mut *transaction,
        }
    }
}

impl ServerCore {
    /// Opens a server's data, makes or changes the tables where need be.
    pub async fn open(
        location: &ServerLocation,
        limits: ServerLimits,
        clock: WallClock,
    ) -> Result<Self, ServerError> {
        // Those that the features of this crate brought.
        sqlx::any::install_default_drivers();
        for folder in
            [location.folder(), &location.uploads(), &location.projects(), &location.jobs()]
        {
            make_private_folder(folder)?;
        }
        let (url, dialect) = match location.postgres() {
            None => {
                let file = location.database_file();
                make_private_file(&file)?;
                (sqlite_url(&file), Dialect::Sqlite)
            }
            Some(url) => {
                check_postgres(url)?;
                (url.to_owned(), Dialect::Postgres)
            }
        };
        let options = AnyConnectOptions::from_str(&url)?.disable_statement_logging();
        // A pool would try again and again where one connection fails.
        let mut first = connect_patiently(&options).await?;
        configure(&mut first, dialect).await?;
        first.close().await?;
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .after_connect(move |connection, _| Box::pin(configure(connection, dialect)))
            .connect_lazy_with(options);
        let turn = Mutex::new(());
        let reserve = DiskReserve::new(location.folder(), limits.spare_bytes);
        reserve.fill();
        let location = location.clone();
        let core =
            Self(Arc::new(CoreParts { location, pool, dialect, turn, clock, limits, reserve }));
        core.prepare().await?;
        Ok(core)
    }

    async fn prepare(&self) -> Result<(), ServerError> {
        let (dialect, location) = (self.0.dialect, &self.0.location);
        let mut look = self.0.pool.begin().await?;
        let found = server_tables::version(&mut look, dialect, location).await?;
        look.rollback().await?;
        if found == server_tables::SERVER_SCHEMA_VERSION {
            return Ok(());
        }
        let mut write = self.write().await?;
        if dialect == Dialect::Postgres {
            // Two programs that make the tables at once: the second one waits here, and finds them.
            let lock = sqlx::query("SELECT pg_advisory_xact_lock(7739837)");
            lock.execute(&mut *write).await?;
        }
        let from = server_tables::version(&mut write, dialect, location).await?;
        if from < server_tables::SERVER_SCHEMA_VERSION {
            server_tables::migrate(&mut write, dialect, from).await?;
        }
        write.commit().await
    }

    /// Begins to write. On SQLite the lock is taken here, not at the first change, so that nobody is refused in the middle.
    pub async fn write(&self) -> Result<WriteTransaction<'_>, ServerError> {
        match self.0.dialect {
            Dialect::Sqlite => {
                let turn = self.0.turn.lock().await;
                let connection = self.0.pool.acquire().await?;
                let mut write = SqliteWrite { connection, is_committed: false };
                sqlx::query("BEGIN IMMEDIATE").execute(&mut *write.connection).await?;
                Ok(WriteTransaction { part: WritePart::Sqlite(write), _turn: Some(turn) })
            }
            Dialect::Postgres => {
                let transaction = self.0.pool.begin().await?;
                Ok(WriteTransaction { part: WritePart::Postgres(transaction), _turn: None })
            }
        }
    }

    /// Begins to write what must work on a full disk, too: deleting, ending jobs, logging in and out. The bytes that were kept for it are
    /// given away first, if there are no others.
    pub async fn write_from_reserve(&self) -> Result<WriteTransaction<'_>, ServerError> {
        self.0.reserve.give();
        self.write().await
    }

    /// The bytes that are kept for writes on a full disk.
    pub fn reserve(&self) -> &DiskReserve {
        &self.0.reserve
    }

    /// Whether the database and the folder take something small, which is taken back.
    pub async fn check_writes(&self) -> Result<(), ServerError> {
        let mut write = self.write().await?;
        self.take_turn(&mut write).await?;
        write.commit().await?;
        self.0.reserve.check()
    }

    /// Makes all others wait who take the server's turn, until the transaction ends: for sums over many rows that must not grow meanwhile.
    pub async fn take_turn(&self, connection: &mut Connected) -> Result<(), ServerError> {
        let turn = sqlx::query("UPDATE server_state SET turn = turn + 1 WHERE id = 1");
        turn.execute(connection).await?;
        Ok(())
    }

    /// The random name of this server.
    pub async fn server_name(&self) -> Result<String, ServerError> {
        let row = sqlx::query("SELECT server FROM server_state WHERE id = 1");
        Ok(row.fetch_one(self.reader()).await?.try_get(0)?)
    }

    /// Connections for reading.
    pub fn reader(&self) -> &AnyPool {
        &self.0.pool
    }

    /// The kind of its database.
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// Its place.
    pub fn location(&self) -> &ServerLocation {
        &self.0.location
    }

    /// Its limits.
    pub fn limits(&self) -> &ServerLimits {
        &self.0.limits
    }

    /// The time, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.0.clock.now_ms()
    }

    /// Ends all connections, and brings the database's journal into its file.
    pub async fn close(&self) {
        self.0.pool.close().await;
    }
}

/// The settings of a connection.
async fn configure(connection: &mut AnyConnection, dialect: Dialect) -> sqlx::Result<()> {
    wattle_store::configure(connection, dialect).await?;
    if dialect == Dialect::Sqlite {
        sqlx::raw_sql("PRAGMA foreign_keys = ON").execute(connection).await?;
    }
    Ok(())
}

/// Makes a folder that only its owner may read.
pub(crate) fn make_private_folder(folder: &Path) -> Result<(), ServerError> {
    private_folder(folder).map_err(ServerError::file(folder))
}

/// Makes a folder, with those above it, that only its owner may read; one that exists stays as it is.
///
/// # Errors
/// Those of the file system.
pub fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file that only its owner may read, unless it exists.
fn make_private_file(file: &Path) -> Result<(), ServerError> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop).map_err(ServerError::file(file))
}
