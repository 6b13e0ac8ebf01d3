ALTER TABLE "endpoints" ADD COLUMN "metrics_url" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "live" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "timeline" jsonb;