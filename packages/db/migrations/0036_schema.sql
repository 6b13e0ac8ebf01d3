CREATE TABLE "signing_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"public_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "submission_signatures" (
	"submission_id" text PRIMARY KEY NOT NULL,
	"signing_key" text NOT NULL,
	"signature" text NOT NULL,
	"verified_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_signatures" ADD CONSTRAINT "submission_signatures_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_signatures" ADD CONSTRAINT "submission_signatures_signing_key_signing_keys_id_fk" FOREIGN KEY ("signing_key") REFERENCES "public"."signing_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_account_public_key_unique" ON "signing_keys" USING btree ("account_id","public_key");--> statement-breakpoint
CREATE INDEX "submission_signatures_key" ON "submission_signatures" USING btree ("signing_key","verified_at");--> statement-breakpoint
CREATE TRIGGER "signing_keys_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "signing_keys" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "submission_signatures_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "submission_signatures" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');
