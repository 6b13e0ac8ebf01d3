CREATE TABLE "concerns" (
	"id" text PRIMARY KEY NOT NULL,
	"submission_id" text NOT NULL,
	"reason" text NOT NULL,
	"text" text NOT NULL,
	"account_id" text,
	"reporter_hash" text,
	"state" text DEFAULT 'open' NOT NULL,
	"answer" text,
	"answered_at" timestamp with time zone,
	"note" text,
	"action" text,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "concerns_state_known" CHECK ("concerns"."state" in ('open', 'upheld', 'dismissed')),
	CONSTRAINT "concerns_action_known" CHECK ("concerns"."action" in ('none', 'quarantine', 'retract')),
	CONSTRAINT "concerns_decided_whole" CHECK (("concerns"."state" = 'open') = ("concerns"."decided_at" is null) and ("concerns"."decided_at" is null) = ("concerns"."note" is null))
);
--> statement-breakpoint
ALTER TABLE "concerns" ADD CONSTRAINT "concerns_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "concerns" ADD CONSTRAINT "concerns_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "concerns" ADD CONSTRAINT "concerns_decided_by_accounts_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "concerns_open_of_reporter_unique" ON "concerns" USING btree ("submission_id",coalesce("account_id", "reporter_hash")) WHERE "concerns"."state" = 'open';--> statement-breakpoint
CREATE INDEX "concerns_submission" ON "concerns" USING btree ("submission_id","id");--> statement-breakpoint
CREATE INDEX "concerns_state" ON "concerns" USING btree ("state","id");