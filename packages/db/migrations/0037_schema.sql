ALTER TABLE "runs" ADD COLUMN "search" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "capacity" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "cancel_publish" text;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "session" text;--> statement-breakpoint
-- considered: no row has a session yet, and the scan of submissions is short
CREATE INDEX IF NOT EXISTS "submissions_session" ON "submissions" USING btree ("account_id","session") WHERE "submissions"."session" is not null;