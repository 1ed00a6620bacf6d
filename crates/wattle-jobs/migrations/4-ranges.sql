-- The run whose recording a job reads a part of again; NULL of a job that makes runs of its own. With the run, what such a job made is deleted.
ALTER TABLE job ADD COLUMN of_run BIGINT;
