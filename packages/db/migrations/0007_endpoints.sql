CREATE TABLE "endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"model" text NOT NULL,
	"facts" jsonb NOT NULL,
	"credential_key_id" text,
	"credential_box" "bytea",
	"proof_token" text NOT NULL,
	"verified_by" text,
	"verified_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp with time zone,
	CONSTRAINT "endpoints_verified_known" CHECK ("endpoints"."verified_by" in ('proof', 'admin')),
	CONSTRAINT "endpoints_credential_whole" CHECK (("endpoints"."credential_key_id" is null) = ("endpoints"."credential_box" is null))
);
--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "endpoints_name_unique" ON "endpoints" USING btree ("account_id",lower("name")) WHERE "endpoints"."removed_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_account" ON "endpoints" USING btree ("account_id","id");