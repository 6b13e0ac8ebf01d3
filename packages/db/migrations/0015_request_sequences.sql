CREATE TABLE "request_sequences" (
	"result_id" text PRIMARY KEY NOT NULL,
	"latencies" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "request_sequences" ADD CONSTRAINT "request_sequences_result_id_results_id_fk" FOREIGN KEY ("result_id") REFERENCES "public"."results"("id") ON DELETE no action ON UPDATE no action;