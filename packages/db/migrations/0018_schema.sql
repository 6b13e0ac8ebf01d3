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
DROP INDEX "submissions_account_fingerprint_unique";
