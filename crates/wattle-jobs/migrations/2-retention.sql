-- How long a project keeps its runs and files; NULL for ever.
CREATE TABLE retention (
    project BIGINT NOT NULL PRIMARY KEY REFERENCES project (id),
    run_days BIGINT,
    series_runs BIGINT,
    file_days BIGINT
);
