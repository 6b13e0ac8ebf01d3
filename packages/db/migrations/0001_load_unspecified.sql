ALTER TABLE "points" DROP CONSTRAINT "points_load_mode_known";--> statement-breakpoint
ALTER TABLE "points" ALTER COLUMN "load_level" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "points" ADD CONSTRAINT "points_load_known" CHECK (("points"."load_mode" in ('concurrency', 'burst', 'rate', 'batch') and "points"."load_level" is not null)
        or ("points"."load_mode" = 'unspecified' and "points"."load_level" is null));