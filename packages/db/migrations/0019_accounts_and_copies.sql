CREATE TABLE "result_anchors" (
	"result_id" text NOT NULL,
	"metric" text NOT NULL,
	"model_key" text NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "result_anchors_result_id_metric_pk" PRIMARY KEY("result_id","metric")
);
--> statement-breakpoint
ALTER TABLE "result_anchors" ADD CONSTRAINT "result_anchors_result_id_results_id_fk" FOREIGN KEY ("result_id") REFERENCES "public"."results"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "result_anchors_value" ON "result_anchors" USING btree ("model_key","metric","value");--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "copy_reason" text;--> statement-breakpoint
-- considered: copies are few
UPDATE "results" r SET "copy_reason" = CASE WHEN s."artifact_sha256" = f."artifact_sha256" THEN 'same_bytes' ELSE 'records' END
FROM "submissions" s, "results" first JOIN "submissions" f ON f."id" = first."submission_id"
WHERE first."id" = r."copy_of" AND s."id" = r."submission_id";--> statement-breakpoint
-- considered: results of managed runs alone, found by indexes
UPDATE "results" SET "origin" = 'managed' FROM "submissions"
WHERE "submissions"."run_id" IS NOT NULL AND "results"."submission_id" = "submissions"."id";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "name_key" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "standing" text DEFAULT 'new' NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "vouched_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "vouched_by" text;--> statement-breakpoint
-- considered: accounts are few
UPDATE "accounts" SET "standing" = 'vouched' WHERE NOT "registered_itself";--> statement-breakpoint
-- considered: accounts are few
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_standing_known" CHECK ("accounts"."standing" in ('vouched', 'established', 'new'));--> statement-breakpoint
-- considered: accounts are few
CREATE UNIQUE INDEX "accounts_name_key_unique" ON "accounts" USING btree (coalesce("name_key", lower("name")));--> statement-breakpoint
-- considered: accounts are few
CREATE INDEX "accounts_standing" ON "accounts" USING btree ("standing") WHERE "accounts"."standing" <> 'vouched';--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "from_start" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- considered: the keys of one account
UPDATE "api_keys" SET "from_start" = true FROM "accounts"
WHERE "accounts"."id" = "api_keys"."account_id" AND "accounts"."name" = 'admin' AND 'admin' = ANY("api_keys"."scopes")
  AND NOT EXISTS (
    SELECT 1 FROM "audit_log"
    WHERE "audit_log"."act" = 'key_created' AND "audit_log"."target" = "api_keys"."id" AND "audit_log"."account_id" IS NOT NULL);--> statement-breakpoint
-- considered: keys are few. A key that was narrowed on purpose does not get the scope, unless its account has no other
UPDATE "api_keys" SET "scopes" = "scopes" || '{keys}'::text[]
WHERE "revoked_at" IS NULL AND NOT 'keys' = ANY("scopes") AND ("scopes" @> '{submit,run}'::text[] OR 'admin' = ANY("scopes")
  OR NOT EXISTS (
    SELECT 1 FROM "api_keys" "other"
    WHERE "other"."account_id" = "api_keys"."account_id" AND "other"."revoked_at" IS NULL
      AND ("other"."scopes" @> '{submit,run}'::text[] OR 'admin' = ANY("other"."scopes"))));--> statement-breakpoint
-- considered: submissions are few beside results; building it over a million of them takes about two seconds
CREATE UNIQUE INDEX "submissions_standing_fingerprint_unique" ON "submissions" USING btree ("account_id","fingerprint") WHERE "submissions"."retracted_at" is null;--> statement-breakpoint
DROP INDEX "submissions_account_fingerprint_unique";--> statement-breakpoint
-- Results of accounts that registered themselves are provisional from now on; their points are judged again.
INSERT INTO "settings" ("key", "value")
SELECT 'claims_to_split', jsonb_agg(DISTINCT r."point_id") FROM "results" r JOIN "accounts" a ON a."id" = r."account_id"
WHERE a."standing" = 'new' AND r."status" = 'accepted' HAVING count(*) > 0
ON CONFLICT ("key") DO UPDATE SET "value" = "settings"."value" || excluded."value";--> statement-breakpoint
-- considered: the release before is stopped
UPDATE "results" r SET "status" = 'provisional' FROM "accounts" a
WHERE a."id" = r."account_id" AND a."standing" = 'new' AND r."status" = 'accepted';--> statement-breakpoint
-- considered: the release before is stopped
UPDATE "submissions" s SET "status" = 'provisional' FROM "accounts" a
WHERE a."id" = s."account_id" AND a."standing" = 'new' AND s."status" = 'accepted';
