-- considered: accounts and systems have few rows, each is read through in a moment
CREATE INDEX "accounts_name_prefix" ON "accounts" USING btree (lower("name") text_pattern_ops);--> statement-breakpoint
-- considered: accounts and systems have few rows, each is read through in a moment
CREATE INDEX "systems_words" ON "systems" USING gin (array_to_tsvector(array_remove(regexp_split_to_array(lower("label"), '[^a-z0-9.\u0080-\uffff]+'), '')));