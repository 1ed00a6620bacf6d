-- Runs, their figures, and the ledgers behind them. One text for SQLite and PostgreSQL: `{bytes}` is the type of binary values,
-- `{clustered}` keeps the rows of a table in the order of its key, where a database can.

-- Numbers that are given once: ids are never used again, so that `run:12` means the same run for ever.
CREATE TABLE counter (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counter (name, value) VALUES ('run', 0);
INSERT INTO counter (name, value) VALUES ('app', 0);
INSERT INTO counter (name, value) VALUES ('swept_ms', 0);

-- The package name of an app; empty for runs of a whole device.
CREATE TABLE app (
    id BIGINT NOT NULL PRIMARY KEY,
    package TEXT NOT NULL UNIQUE
);

-- Ledgers by their content. `content` is NULL where they are files beside the database.
CREATE TABLE ledger (
    sha256 TEXT NOT NULL PRIMARY KEY,
    bytes BIGINT NOT NULL,
    content {bytes}
);

CREATE TABLE run (
    id BIGINT NOT NULL PRIMARY KEY,
    kept_ms BIGINT NOT NULL,
    app BIGINT NOT NULL REFERENCES app (id),
    version_name TEXT,
    version_code BIGINT,
    package_sha256 TEXT,
    commit_id TEXT,
    branch TEXT,
    dirty BIGINT,
    device_key TEXT,
    device_title TEXT,
    model_name TEXT,
    model_version BIGINT,
    scenario TEXT,
    conditions TEXT,
    tool TEXT,
    started_ms BIGINT,
    duration_s DOUBLE PRECISION,
    outcome TEXT,
    series TEXT,
    build TEXT,
    iteration BIGINT,
    total_joules DOUBLE PRECISION,
    total_low DOUBLE PRECISION,
    total_high DOUBLE PRECISION,
    total_provenance BIGINT,
    app_joules DOUBLE PRECISION,
    app_low DOUBLE PRECISION,
    app_high DOUBLE PRECISION,
    app_provenance BIGINT,
    ledger TEXT NOT NULL REFERENCES ledger (sha256)
);
CREATE INDEX run_by_app ON run (app, id);
CREATE INDEX run_by_ledger ON run (ledger);

-- Energy of a component: of the whole run (`of_app` 0) and of its app (1).
CREATE TABLE component_figure (
    name TEXT NOT NULL,
    of_app BIGINT NOT NULL,
    run BIGINT NOT NULL REFERENCES run (id),
    joules DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION NOT NULL,
    high DOUBLE PRECISION NOT NULL,
    provenance BIGINT NOT NULL,
    PRIMARY KEY (name, of_app, run)
) {clustered};
CREATE INDEX component_figure_by_run ON component_figure (run);

-- Methods of an app, numbered in the order in which they were first seen.
CREATE TABLE method (
    app BIGINT NOT NULL REFERENCES app (id),
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (app, number),
    UNIQUE (app, name)
);

-- Figures of the methods with the numbers 32 * block to 32 * block + 31 in a run. In this order the history of a method is
-- one range, and a run is some hundred rows instead of thousands. `run` is no reference: deleting a run would look through all of
-- the table for it.
CREATE TABLE method_block (
    app BIGINT NOT NULL,
    block BIGINT NOT NULL,
    run BIGINT NOT NULL,
    content {bytes} NOT NULL,
    PRIMARY KEY (app, block, run)
) {clustered};
