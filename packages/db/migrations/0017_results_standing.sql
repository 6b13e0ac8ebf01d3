-- considered: as 0016; operators of many results build it beforehand, see CHANGELOG
CREATE INDEX IF NOT EXISTS "results_standing" ON "results" USING btree ("point_id","status","id");--> statement-breakpoint
DROP INDEX "results_point";
