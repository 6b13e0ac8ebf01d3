-- considered: before migrations 0018 to 0039 every process of the release before is stopped
CREATE INDEX "board_figures_system" ON "board_figures" USING btree ("system_id");--> statement-breakpoint
-- considered: before migrations 0018 to 0039 every process of the release before is stopped
CREATE INDEX "points_quality" ON "points" USING btree ("id") WHERE "points"."kind" = 'quality';