ALTER TABLE "results" ADD COLUMN "source" jsonb;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "source" jsonb;