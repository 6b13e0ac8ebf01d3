-- considered: the release before is stopped
CREATE INDEX "board_rows_imported" ON "board_rows" USING btree ("board_id") WHERE "board_rows"."is_best" and "board_rows"."trust" = 'imported';