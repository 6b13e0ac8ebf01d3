-- considered: ten million results took 23 s, and operators of that many build it beforehand, see CHANGELOG
CREATE INDEX IF NOT EXISTS "results_accepted" ON "results" USING btree ("id") WHERE "results"."status" = 'accepted';
