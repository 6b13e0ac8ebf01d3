ALTER TABLE "result_anchors" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "summed_by" bigint;--> statement-breakpoint
ALTER TABLE "point_statistics" ALTER COLUMN "summed_by" SET DEFAULT (pg_current_xact_id())::xid::text::bigint;