DROP INDEX "result_anchors_value";--> statement-breakpoint
-- considered: the release before is stopped
CREATE INDEX "result_anchors_near" ON "result_anchors" USING btree ("model_key","metric","value","account_id","result_id");