-- Accounts, projects, uploads and jobs of a server. One text for SQLite and PostgreSQL. Runs are not here: each project has a history of
-- its own.

-- One row: its lock makes those wait who add up what is used, and it names this server in keys of histories.
CREATE TABLE server_state (
    id BIGINT NOT NULL PRIMARY KEY,
    server TEXT NOT NULL,
    turn BIGINT NOT NULL
);

CREATE TABLE user_account (
    id {identity},
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- Argon2id in PHC format; NULL where another system vouches for the user.
    password TEXT,
    is_admin BIGINT NOT NULL,
    is_disabled BIGINT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE project (
    id {identity},
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE membership (
    project BIGINT NOT NULL REFERENCES project (id),
    account BIGINT NOT NULL REFERENCES user_account (id),
    role BIGINT NOT NULL,
    PRIMARY KEY (project, account)
);
CREATE INDEX membership_by_account ON membership (account);

-- Secrets of sessions, tokens and links are here as SHA-256 only.
CREATE TABLE login_session (
    secret TEXT NOT NULL PRIMARY KEY,
    account BIGINT NOT NULL REFERENCES user_account (id),
    csrf TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    origin TEXT NOT NULL
);
CREATE INDEX login_session_by_account ON login_session (account);

CREATE TABLE api_token (
    id {identity},
    secret TEXT NOT NULL UNIQUE,
    account BIGINT NOT NULL REFERENCES user_account (id),
    project BIGINT REFERENCES project (id),
    title TEXT NOT NULL,
    scope BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT,
    used_ms BIGINT
);
CREATE INDEX api_token_by_account ON api_token (account);

CREATE TABLE failed_login (
    id {identity},
    subject TEXT NOT NULL,
    at_ms BIGINT NOT NULL
);
CREATE INDEX failed_login_by_subject ON failed_login (subject, at_ms);

CREATE TABLE share_link (
    id {identity},
    secret TEXT NOT NULL UNIQUE,
    project BIGINT NOT NULL REFERENCES project (id),
    author BIGINT REFERENCES user_account (id),
    subject TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT
);
CREATE INDEX share_link_by_project ON share_link (project);

-- Names instead of references: an entry outlives what it is about.
CREATE TABLE audit_entry (
    id {identity},
    at_ms BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    project BIGINT,
    subject TEXT NOT NULL,
    origin TEXT NOT NULL
);
CREATE INDEX audit_entry_by_project ON audit_entry (project, id);

-- Limits that differ from those of the server; NULL is the server's.
CREATE TABLE quota (
    holder TEXT NOT NULL PRIMARY KEY,
    bytes BIGINT,
    open_uploads BIGINT,
    queued_jobs BIGINT,
    runs BIGINT
);

CREATE TABLE upload (
    id TEXT NOT NULL PRIMARY KEY,
    project BIGINT NOT NULL REFERENCES project (id),
    owner BIGINT REFERENCES user_account (id),
    name TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    received BIGINT NOT NULL,
    sha256 TEXT,
    file_set TEXT,
    created_ms BIGINT NOT NULL,
    touched_ms BIGINT NOT NULL
);
CREATE INDEX upload_by_project ON upload (project);

CREATE TABLE stored_file (
    id {identity},
    project BIGINT NOT NULL REFERENCES project (id),
    owner BIGINT REFERENCES user_account (id),
    upload TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    file_set TEXT,
    created_ms BIGINT NOT NULL
);
CREATE INDEX stored_file_by_project ON stored_file (project, sha256);

CREATE TABLE job (
    id {identity},
    project BIGINT NOT NULL REFERENCES project (id),
    owner BIGINT REFERENCES user_account (id),
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    state BIGINT NOT NULL,
    needs_device BIGINT NOT NULL,
    device_filter TEXT,
    -- Grows with every claim: whoever has an older one has lost the job.
    claim BIGINT NOT NULL,
    beat BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    worker TEXT,
    wants_cancel BIGINT NOT NULL,
    progress TEXT,
    fraction DOUBLE PRECISION,
    events BIGINT NOT NULL,
    reason TEXT,
    created_ms BIGINT NOT NULL,
    started_ms BIGINT,
    ended_ms BIGINT
);
CREATE INDEX job_by_state ON job (state, id);
CREATE INDEX job_by_project ON job (project, id);
CREATE INDEX job_by_owner ON job (owner, state);

CREATE TABLE job_input (
    job BIGINT NOT NULL REFERENCES job (id),
    ordinal BIGINT NOT NULL,
    file BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (job, ordinal)
);
CREATE INDEX job_input_by_file ON job_input (file);

CREATE TABLE job_run (
    job BIGINT NOT NULL REFERENCES job (id),
    ordinal BIGINT NOT NULL,
    run BIGINT NOT NULL,
    PRIMARY KEY (job, ordinal)
);

CREATE TABLE job_output (
    job BIGINT NOT NULL REFERENCES job (id),
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (job, name)
);

-- Numbered per job, by the job's own row, so that they are committed in the order of their numbers.
CREATE TABLE job_event (
    job BIGINT NOT NULL REFERENCES job (id),
    number BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    fraction DOUBLE PRECISION,
    PRIMARY KEY (job, number)
);

CREATE TABLE job_worker (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    beat BIGINT NOT NULL,
    started_ms BIGINT NOT NULL
);

CREATE TABLE lent_device (
    serial TEXT NOT NULL PRIMARY KEY,
    model TEXT NOT NULL,
    worker TEXT NOT NULL REFERENCES job_worker (id),
    job BIGINT REFERENCES job (id)
);

CREATE TABLE run_name (
    project BIGINT NOT NULL REFERENCES project (id),
    run BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project, run)
);

CREATE TABLE run_comment (
    id {identity},
    project BIGINT NOT NULL REFERENCES project (id),
    run BIGINT NOT NULL,
    author BIGINT REFERENCES user_account (id),
    selection TEXT NOT NULL,
    content TEXT NOT NULL,
    at_ms BIGINT NOT NULL
);
CREATE INDEX run_comment_by_run ON run_comment (project, run);
