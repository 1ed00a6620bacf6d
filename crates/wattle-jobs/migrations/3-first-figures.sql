-- Figures of the beginning of a recording while a job reads the rest, as JSON; NULL of a job that is not running.
ALTER TABLE job ADD COLUMN first_figures TEXT;
