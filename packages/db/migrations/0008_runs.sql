CREATE TABLE "endpoint_usage" (
	"endpoint_id" text NOT NULL,
	"day" date NOT NULL,
	"requests" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "endpoint_usage_endpoint_id_day_pk" PRIMARY KEY("endpoint_id","day")
);
--> statement-breakpoint
CREATE TABLE "run_events" (
	"run_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"kind" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "run_events_run_id_ordinal_pk" PRIMARY KEY("run_id","ordinal"),
	CONSTRAINT "run_events_kind_known" CHECK ("run_events"."kind" in ('state', 'point', 'end'))
);
--> statement-breakpoint
CREATE TABLE "run_points" (
	"run_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"key" text NOT NULL,
	"point" jsonb NOT NULL,
	"measured_at" timestamp with time zone,
	"attempt" integer,
	"summary" jsonb,
	"report" "bytea",
	"report_packing" text,
	CONSTRAINT "run_points_run_id_ordinal_pk" PRIMARY KEY("run_id","ordinal"),
	CONSTRAINT "run_points_whole" CHECK (("run_points"."measured_at" is null) = ("run_points"."attempt" is null))
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"schedule_id" text,
	"state" text DEFAULT 'pending' NOT NULL,
	"request" jsonb NOT NULL,
	"seed" bigint NOT NULL,
	"omitted" jsonb NOT NULL,
	"points_total" integer NOT NULL,
	"points_done" integer DEFAULT 0 NOT NULL,
	"requests_total" integer NOT NULL,
	"requests_done" integer DEFAULT 0 NOT NULL,
	"events" integer DEFAULT 0 NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"fruitless" integer DEFAULT 0 NOT NULL,
	"worker" text,
	"lease_until" timestamp with time zone,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"cancel_asked_at" timestamp with time zone,
	"failure_code" text,
	"failure_message" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "runs_state_known" CHECK ("runs"."state" in ('pending', 'claimed', 'running', 'completed', 'processed', 'failed', 'canceled'))
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"request" jsonb NOT NULL,
	"cron" text NOT NULL,
	"time_zone" text NOT NULL,
	"next_at" timestamp with time zone,
	"last_run_id" text,
	"skipped_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"event" text NOT NULL,
	"body" jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now(),
	"outcome" text,
	"delivered_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"secret_key_id" text,
	"secret_box" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "requests_per_day" bigint;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "tokens_per_day" bigint;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "run_id" text;--> statement-breakpoint
ALTER TABLE "endpoint_usage" ADD CONSTRAINT "endpoint_usage_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_events" ADD CONSTRAINT "run_events_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_points" ADD CONSTRAINT "run_points_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "run_points_key_unique" ON "run_points" USING btree ("run_id","key");--> statement-breakpoint
CREATE INDEX "runs_account" ON "runs" USING btree ("account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_endpoint_busy" ON "runs" USING btree ("endpoint_id") WHERE "runs"."state" in ('claimed', 'running');--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("created_at") WHERE "runs"."state" in ('pending', 'claimed', 'running', 'completed');--> statement-breakpoint
CREATE INDEX "schedules_account" ON "schedules" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_at") WHERE "schedules"."removed_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_webhook" ON "webhook_deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_at") WHERE "webhook_deliveries"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "webhooks_account" ON "webhooks" USING btree ("account_id","id");--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "submissions_run" ON "submissions" USING btree ("run_id") WHERE "submissions"."run_id" is not null;