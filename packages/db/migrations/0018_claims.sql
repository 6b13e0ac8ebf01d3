-- A point's statistics become those of claims, one account each. The release before this one writes neither column, so it has
-- to be stopped first (CHANGELOG). Points that several accounts measured, or one account with and without records, are split
-- by the process that migrates: `claims_to_split` lists them.
ALTER TABLE "results" DROP CONSTRAINT "results_status_known";--> statement-breakpoint
ALTER TABLE "results" DROP CONSTRAINT "results_origin_known";--> statement-breakpoint
ALTER TABLE "submissions" DROP CONSTRAINT "submissions_status_known";--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "account_id" text;--> statement-breakpoint
-- considered: the release before is stopped
UPDATE "results" r SET "account_id" = s."account_id" FROM "submissions" s WHERE s."id" = r."submission_id";--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "results" ALTER COLUMN "account_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "own_trust" text;--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "point_statistics" ADD COLUMN "stands" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "disputed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "runs" integer;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "first_result_id" text;--> statement-breakpoint
INSERT INTO "settings" ("key", "value")
SELECT 'claims_to_split', jsonb_agg(shared."point_id") FROM (
  SELECT DISTINCT "point_id" FROM (
    SELECT "point_id" FROM "results" WHERE "copy_of" IS NULL
    GROUP BY "point_id", "status" HAVING count(DISTINCT ("account_id", "own_trust")) > 1) several) shared
HAVING count(*) > 0;--> statement-breakpoint
-- considered: the release before is stopped
DELETE FROM "point_statistics" t USING "settings" s
WHERE s."key" = 'claims_to_split' AND t."point_id" IN (SELECT jsonb_array_elements(s."value")::bigint);--> statement-breakpoint
-- considered: the release before is stopped
UPDATE "point_statistics" t SET "account_id" = c."account_id", "own_trust" = c."own_trust", "runs" = c."runs",
  "first_result_id" = c."first_result_id", "trust" = c."own_trust", "replication" = NULL, "changed_in" = pg_current_xact_id()
FROM (
  SELECT "point_id", "status", min("account_id") AS "account_id", min("own_trust") AS "own_trust",
    sum(coalesce(("repeats" ->> 'n')::int, 1))::int AS "runs", min("id") AS "first_result_id"
  FROM "results" WHERE "copy_of" IS NULL GROUP BY 1, 2) c
WHERE c."point_id" = t."point_id" AND c."status" = t."status";--> statement-breakpoint
ALTER TABLE "point_statistics" DROP CONSTRAINT "point_statistics_point_id_status_variant_pk";--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "point_statistics" ALTER COLUMN "account_id" SET NOT NULL, ALTER COLUMN "own_trust" SET NOT NULL,
  ALTER COLUMN "runs" SET NOT NULL, ALTER COLUMN "first_result_id" SET NOT NULL,
  ALTER COLUMN "stands" DROP DEFAULT, ALTER COLUMN "disputed" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD CONSTRAINT "point_statistics_point_id_status_account_id_own_trust_variant_pk" PRIMARY KEY("point_id","status","account_id","own_trust","variant");--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "point_statistics" ADD CONSTRAINT "point_statistics_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "results" ADD CONSTRAINT "results_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- considered: the release before is stopped
CREATE INDEX "results_claim" ON "results" USING btree ("point_id","account_id","status","id");--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "results" ADD CONSTRAINT "results_status_known" CHECK ("results"."status" in ('accepted', 'provisional', 'simulated', 'not_repetitions', 'quarantined', 'retracted'));--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "results" ADD CONSTRAINT "results_origin_known" CHECK ("results"."origin" in ('submitted', 'managed', 'imported'));--> statement-breakpoint
-- considered: the release before is stopped
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_status_known" CHECK ("submissions"."status" in ('accepted', 'provisional', 'quarantined', 'retracted'));
