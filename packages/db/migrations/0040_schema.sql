-- considered: before migrations 0018 to 0040 every process of the release before is stopped
CREATE INDEX "board_rows_model" ON "board_rows" USING btree ("board_id","model","worth") WHERE "board_rows"."model" is not null;--> statement-breakpoint
-- considered: before migrations 0018 to 0040 every process of the release before is stopped
CREATE INDEX "board_rows_gpu" ON "board_rows" USING btree ("board_id","gpu","worth") WHERE "board_rows"."gpu" is not null;