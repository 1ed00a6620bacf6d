-- Runs by the key that their keeper gave them: what is kept again under a key is the run that has it. A key outlives its run, so that
-- a run that was deleted does not come back.
CREATE TABLE kept_once (
    key TEXT NOT NULL PRIMARY KEY,
    run BIGINT NOT NULL
);
