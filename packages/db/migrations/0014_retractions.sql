-- considered: none of the submissions is retracted at first but a few, and operators of many build it beforehand, see CHANGELOG
CREATE INDEX IF NOT EXISTS "submissions_retracted" ON "submissions" USING btree ("retracted_at","id") WHERE "submissions"."retracted_at" is not null;
