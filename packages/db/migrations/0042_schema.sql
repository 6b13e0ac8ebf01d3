CREATE TABLE "run_shares" (
	"run_id" text NOT NULL,
	"share" integer NOT NULL,
	"attempt" integer NOT NULL,
	"claims" integer DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"worker" text,
	"lease_until" timestamp with time zone,
	"round" integer DEFAULT 0 NOT NULL,
	"job" "bytea",
	"job_packing" text,
	"start_at_ms" double precision,
	"clock_error_ms" double precision,
	"counts" jsonb,
	"result" "bytea",
	"result_packing" text,
	"failure" text,
	CONSTRAINT "run_shares_run_id_share_pk" PRIMARY KEY("run_id","share"),
	CONSTRAINT "run_shares_state_known" CHECK ("run_shares"."state" in ('open', 'joined', 'assigned', 'ready', 'done', 'failed', 'closed'))
);
--> statement-breakpoint
ALTER TABLE "run_shares" ADD CONSTRAINT "run_shares_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;