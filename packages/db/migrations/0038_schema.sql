-- considered: before migrations 0018 to 0039 every process of the release before is stopped
DROP INDEX "board_figures_covering";--> statement-breakpoint
-- considered: before migrations 0018 to 0039 every process of the release before is stopped
DROP INDEX "board_rows_walk";--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "gpu" text;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "output_tok_s_per_gpu" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "output_tok_s" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "user_tok_s" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "decode_tok_s" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "req_s" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "ttft_ms_mean" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "ttft_ms_p50" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "ttft_ms_p99" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "itl_ms_mean" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "itl_ms_p99" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "tpot_ms_mean" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "tpot_ms_p99" double precision;--> statement-breakpoint
ALTER TABLE "board_rows" ADD COLUMN "e2e_ms_mean" double precision;--> statement-breakpoint
-- considered: before migrations 0018 to 0039 every process of the release before is stopped
CREATE INDEX "board_figures_board" ON "board_figures" USING btree ("board_id");--> statement-breakpoint
-- considered: before migrations 0018 to 0039 every process of the release before is stopped
CREATE INDEX "board_figures_gpu" ON "board_figures" USING btree ("gpu","board_id");--> statement-breakpoint
-- considered: before migrations 0018 to 0039 every process of the release before is stopped
CREATE INDEX "board_rows_walk" ON "board_rows" USING btree ("board_id","worth","status");