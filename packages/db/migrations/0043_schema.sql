ALTER TABLE "accounts" ADD COLUMN "standing_applied_to" text;--> statement-breakpoint
-- considered: no row is in this index yet, and one scan of the accounts is short
CREATE INDEX "accounts_standing_applied_to" ON "accounts" USING btree ("id") WHERE "accounts"."standing_applied_to" is not null;
