ALTER TABLE "point_statistics" ADD COLUMN "tools" text[];--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "spreads" jsonb;--> statement-breakpoint
UPDATE "point_statistics" AS t SET
  "tools" = ARRAY(
    SELECT DISTINCT r."tool" FROM "results" AS r
    WHERE r."point_id" = t."point_id" AND r."status" = t."status" AND r."copy_of" IS NULL ORDER BY 1),
  "spreads" = coalesce((
    SELECT jsonb_object_agg(key, jsonb_build_array(value -> 'n', value -> 'sd'))
    FROM jsonb_each(t."statistics") WHERE value -> 'n' <> '1' OR value ? 'sd'), '{}'),
  "statistics" = coalesce((
    SELECT jsonb_object_agg(key, value - ARRAY['n', 'sd', 'ci95'])
    FROM jsonb_each(t."statistics") WHERE value <> '{"n": 1}'), '{}');--> statement-breakpoint
ALTER TABLE "point_statistics" ALTER COLUMN "tools" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "point_statistics" ALTER COLUMN "spreads" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "points" ADD COLUMN "emptied_in" "xid8";--> statement-breakpoint
CREATE INDEX "point_statistics_changed_in" ON "point_statistics" USING btree ("changed_in");--> statement-breakpoint
CREATE INDEX "points_emptied_in" ON "points" USING btree ("emptied_in") WHERE "points"."emptied_in" is not null;