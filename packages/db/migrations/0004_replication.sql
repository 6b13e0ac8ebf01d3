ALTER TABLE "point_statistics" ADD COLUMN "replication" jsonb;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "own_trust" text;--> statement-breakpoint
UPDATE "results" SET "own_trust" = "trust";--> statement-breakpoint
ALTER TABLE "results" ALTER COLUMN "own_trust" SET NOT NULL;
