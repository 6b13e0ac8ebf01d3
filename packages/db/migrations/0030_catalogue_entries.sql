CREATE TABLE "catalogue_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"entry_id" text NOT NULL,
	"facts" jsonb,
	"aliases" text[] NOT NULL,
	"added_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "catalogue_entries_kind_known" CHECK ("catalogue_entries"."kind" in ('model', 'gpu', 'quantization', 'engine'))
);
--> statement-breakpoint
ALTER TABLE "catalogue_entries" ADD CONSTRAINT "catalogue_entries_added_by_accounts_id_fk" FOREIGN KEY ("added_by") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "catalogue_entries_entry_unique" ON "catalogue_entries" USING btree ("kind","entry_id") WHERE "catalogue_entries"."facts" is not null;--> statement-breakpoint
INSERT INTO "data_versions" ("scope", "shard", "n")
SELECT 'catalogue', shard, 0 FROM generate_series(0, 31) shard;--> statement-breakpoint
CREATE TRIGGER "catalogue_entries_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "catalogue_entries" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('catalogue');
