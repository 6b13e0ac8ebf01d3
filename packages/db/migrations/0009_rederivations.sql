CREATE TABLE "rederivations" (
	"id" text PRIMARY KEY NOT NULL,
	"release" text NOT NULL,
	"tool" text,
	"reached" text DEFAULT '' NOT NULL,
	"submissions_read" integer DEFAULT 0 NOT NULL,
	"submissions_changed" integer DEFAULT 0 NOT NULL,
	"submissions_unreadable" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "result_versions" (
	"result_id" text NOT NULL,
	"version" integer NOT NULL,
	"rederivation_id" text NOT NULL,
	"was" jsonb NOT NULL,
	"replaced_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "result_versions_result_id_version_pk" PRIMARY KEY("result_id","version")
);
--> statement-breakpoint
ALTER TABLE "result_versions" ADD CONSTRAINT "result_versions_result_id_results_id_fk" FOREIGN KEY ("result_id") REFERENCES "public"."results"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "result_versions" ADD CONSTRAINT "result_versions_rederivation_id_rederivations_id_fk" FOREIGN KEY ("rederivation_id") REFERENCES "public"."rederivations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "result_versions_rederivation" ON "result_versions" USING btree ("rederivation_id");