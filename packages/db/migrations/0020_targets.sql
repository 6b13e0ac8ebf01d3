CREATE TABLE "regression_checks" (
	"submission_id" text PRIMARY KEY NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "told_regressions" (
	"account_id" text NOT NULL,
	"result_id" text NOT NULL,
	"type" text NOT NULL,
	"metric" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "told_regressions_account_id_result_id_type_metric_pk" PRIMARY KEY("account_id","result_id","type","metric")
);
--> statement-breakpoint
CREATE TABLE "target_leases" (
	"target" text NOT NULL,
	"id" text NOT NULL,
	"requests" integer NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "target_leases_target_id_pk" PRIMARY KEY("target","id")
);
--> statement-breakpoint
CREATE TABLE "target_usage" (
	"target" text NOT NULL,
	"day" date NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "target_usage_target_day_pk" PRIMARY KEY("target","day")
);
--> statement-breakpoint
ALTER TABLE "submissions" DROP CONSTRAINT "submissions_status_known";--> statement-breakpoint
ALTER TABLE "regression_checks" ADD CONSTRAINT "regression_checks_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "told_regressions" ADD CONSTRAINT "told_regressions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "regression_checks_due" ON "regression_checks" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "target_leases_until" ON "target_leases" USING btree ("until");--> statement-breakpoint
-- considered: submissions are few beside results
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_status_known" CHECK ("submissions"."status" in ('accepted', 'provisional', 'simulated', 'not_repetitions', 'quarantined', 'retracted'));