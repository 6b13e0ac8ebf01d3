CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"last_four" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"key_id" text NOT NULL,
	"route" text NOT NULL,
	"name" text NOT NULL,
	"fingerprint" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"status" integer,
	"location" text,
	"body" "bytea",
	CONSTRAINT "idempotency_keys_key_id_route_name_pk" PRIMARY KEY("key_id","route","name")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"busy_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "findings" (
	"result_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"code" text NOT NULL,
	"severity" text NOT NULL,
	"message" text NOT NULL,
	"evidence" jsonb NOT NULL,
	CONSTRAINT "findings_result_id_ordinal_pk" PRIMARY KEY("result_id","ordinal"),
	CONSTRAINT "findings_severity_known" CHECK ("findings"."severity" in ('info', 'warning', 'violation'))
);
--> statement-breakpoint
CREATE TABLE "point_statistics" (
	"point_id" bigint NOT NULL,
	"status" text NOT NULL,
	"variant" smallint NOT NULL,
	"definitions" jsonb NOT NULL,
	"derived" text[] NOT NULL,
	"results" integer NOT NULL,
	"trust" text NOT NULL,
	"findings" integer NOT NULL,
	"warnings" integer NOT NULL,
	"statistics" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ttft_ms_mean" double precision,
	"ttft_ms_p50" double precision,
	"ttft_ms_p90" double precision,
	"ttft_ms_p95" double precision,
	"ttft_ms_p99" double precision,
	"ttft_ms_min" double precision,
	"ttft_ms_max" double precision,
	"ttft_ms_sd" double precision,
	"itl_ms_mean" double precision,
	"itl_ms_p50" double precision,
	"itl_ms_p90" double precision,
	"itl_ms_p95" double precision,
	"itl_ms_p99" double precision,
	"itl_ms_min" double precision,
	"itl_ms_max" double precision,
	"itl_ms_sd" double precision,
	"tpot_ms_mean" double precision,
	"tpot_ms_p50" double precision,
	"tpot_ms_p90" double precision,
	"tpot_ms_p95" double precision,
	"tpot_ms_p99" double precision,
	"tpot_ms_min" double precision,
	"tpot_ms_max" double precision,
	"tpot_ms_sd" double precision,
	"e2e_ms_mean" double precision,
	"e2e_ms_p50" double precision,
	"e2e_ms_p90" double precision,
	"e2e_ms_p95" double precision,
	"e2e_ms_p99" double precision,
	"e2e_ms_min" double precision,
	"e2e_ms_max" double precision,
	"e2e_ms_sd" double precision,
	"req_s" double precision,
	"output_tok_s" double precision,
	"input_tok_s" double precision,
	"total_tok_s" double precision,
	"user_tok_s" double precision,
	"duration_s" double precision,
	"requests_ok" double precision,
	"requests_failed" double precision,
	"input_tokens" double precision,
	"output_tokens" double precision,
	"goodput_req_s" double precision,
	"prefill_tok_s" double precision,
	"decode_tok_s" double precision,
	"power_w" double precision,
	"forward_ms" double precision,
	"forward_tflop_s" double precision,
	"backward_ms" double precision,
	"backward_tflop_s" double precision,
	"wall_s" double precision,
	"memory_gb" double precision,
	"batch_size" double precision,
	"output_tok_s_per_gpu" double precision,
	"scaling_efficiency" double precision,
	"tok_per_joule" double precision,
	"mbu" double precision,
	"mfu" double precision,
	CONSTRAINT "point_statistics_point_id_status_variant_pk" PRIMARY KEY("point_id","status","variant")
);
--> statement-breakpoint
CREATE TABLE "points" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "points_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"system_id" text NOT NULL,
	"scenario_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"load_mode" text NOT NULL,
	"load_level" double precision,
	"load_detail" jsonb NOT NULL,
	"load_key" text NOT NULL,
	CONSTRAINT "points_kind_known" CHECK ("points"."kind" in ('serving', 'kernel', 'training')),
	CONSTRAINT "points_load_known" CHECK (("points"."load_mode" in ('concurrency', 'burst', 'rate', 'batch') and "points"."load_level" is not null)
        or ("points"."load_mode" = 'unspecified' and "points"."load_level" is null))
);
--> statement-breakpoint
CREATE TABLE "results" (
	"id" text PRIMARY KEY NOT NULL,
	"submission_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"point_id" bigint NOT NULL,
	"status" text NOT NULL,
	"copy_of" text,
	"trust" text NOT NULL,
	"origin" text NOT NULL,
	"tool" text NOT NULL,
	"tool_version" text,
	"repetition" integer,
	"definitions" jsonb NOT NULL,
	"derived" text[] NOT NULL,
	"repeats" jsonb,
	"limits" jsonb,
	"certificates" jsonb,
	"ranges" jsonb,
	"extra" jsonb NOT NULL,
	"passed" text[] NOT NULL,
	"unchecked" jsonb NOT NULL,
	"line_from" integer NOT NULL,
	"line_to" integer NOT NULL,
	"measured_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ttft_ms_mean" double precision,
	"ttft_ms_p50" double precision,
	"ttft_ms_p90" double precision,
	"ttft_ms_p95" double precision,
	"ttft_ms_p99" double precision,
	"ttft_ms_min" double precision,
	"ttft_ms_max" double precision,
	"ttft_ms_sd" double precision,
	"itl_ms_mean" double precision,
	"itl_ms_p50" double precision,
	"itl_ms_p90" double precision,
	"itl_ms_p95" double precision,
	"itl_ms_p99" double precision,
	"itl_ms_min" double precision,
	"itl_ms_max" double precision,
	"itl_ms_sd" double precision,
	"tpot_ms_mean" double precision,
	"tpot_ms_p50" double precision,
	"tpot_ms_p90" double precision,
	"tpot_ms_p95" double precision,
	"tpot_ms_p99" double precision,
	"tpot_ms_min" double precision,
	"tpot_ms_max" double precision,
	"tpot_ms_sd" double precision,
	"e2e_ms_mean" double precision,
	"e2e_ms_p50" double precision,
	"e2e_ms_p90" double precision,
	"e2e_ms_p95" double precision,
	"e2e_ms_p99" double precision,
	"e2e_ms_min" double precision,
	"e2e_ms_max" double precision,
	"e2e_ms_sd" double precision,
	"req_s" double precision,
	"output_tok_s" double precision,
	"input_tok_s" double precision,
	"total_tok_s" double precision,
	"user_tok_s" double precision,
	"duration_s" double precision,
	"requests_ok" double precision,
	"requests_failed" double precision,
	"input_tokens" double precision,
	"output_tokens" double precision,
	"goodput_req_s" double precision,
	"prefill_tok_s" double precision,
	"decode_tok_s" double precision,
	"power_w" double precision,
	"forward_ms" double precision,
	"forward_tflop_s" double precision,
	"backward_ms" double precision,
	"backward_tflop_s" double precision,
	"wall_s" double precision,
	"memory_gb" double precision,
	"batch_size" double precision,
	"output_tok_s_per_gpu" double precision,
	"scaling_efficiency" double precision,
	"tok_per_joule" double precision,
	"mbu" double precision,
	"mfu" double precision,
	CONSTRAINT "results_status_known" CHECK ("results"."status" in ('accepted', 'quarantined', 'retracted')),
	CONSTRAINT "results_origin_known" CHECK ("results"."origin" in ('submitted', 'managed'))
);
--> statement-breakpoint
CREATE TABLE "scenarios" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scenarios_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"name" text NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"dataset" text,
	"depth" integer,
	"kernel" jsonb,
	CONSTRAINT "scenarios_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "systems" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"model_id" text,
	"model_family" text,
	"model_name" text NOT NULL,
	"model_key" text NOT NULL,
	"quantization_id" text,
	"quantization_name" text NOT NULL,
	"quantization_key" text NOT NULL,
	"quantization_recipe" text[] NOT NULL,
	"gpu_id" text,
	"gpu_family" text,
	"gpu_name" text NOT NULL,
	"gpu_key" text NOT NULL,
	"gpu_count" integer,
	"gpu_power_limit_w" double precision,
	"engine_id" text,
	"engine_name" text NOT NULL,
	"engine_key" text NOT NULL,
	"engine_version" text,
	"parallelism" jsonb NOT NULL,
	"features" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "artifacts" (
	"sha256" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"size" integer NOT NULL,
	"media_type" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" text PRIMARY KEY NOT NULL,
	"submission_id" text NOT NULL,
	"account_id" text NOT NULL,
	"decision" text NOT NULL,
	"note" text NOT NULL,
	"mapping" jsonb,
	"results" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reviews_decision_known" CHECK ("reviews"."decision" in ('clear', 'map', 'keep'))
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"artifact_sha256" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" text NOT NULL,
	"tool" text NOT NULL,
	"tool_version" text,
	"parameters" jsonb NOT NULL,
	"ignored" jsonb NOT NULL,
	"notes" text,
	"source_url" text,
	"retracted_at" timestamp with time zone,
	"retraction_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "submissions_status_known" CHECK ("submissions"."status" in ('accepted', 'quarantined', 'retracted'))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "findings" ADD CONSTRAINT "findings_result_id_results_id_fk" FOREIGN KEY ("result_id") REFERENCES "public"."results"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD CONSTRAINT "point_statistics_point_id_points_id_fk" FOREIGN KEY ("point_id") REFERENCES "public"."points"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points" ADD CONSTRAINT "points_system_id_systems_id_fk" FOREIGN KEY ("system_id") REFERENCES "public"."systems"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "points" ADD CONSTRAINT "points_scenario_id_scenarios_id_fk" FOREIGN KEY ("scenario_id") REFERENCES "public"."scenarios"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "results" ADD CONSTRAINT "results_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "results" ADD CONSTRAINT "results_point_id_points_id_fk" FOREIGN KEY ("point_id") REFERENCES "public"."points"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_artifact_sha256_artifacts_sha256_fk" FOREIGN KEY ("artifact_sha256") REFERENCES "public"."artifacts"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_name_unique" ON "accounts" USING btree (lower("name"));--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_started" ON "idempotency_keys" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "rate_limits_busy_until" ON "rate_limits" USING btree ("busy_until");--> statement-breakpoint
CREATE INDEX "findings_code" ON "findings" USING btree ("code");--> statement-breakpoint
CREATE UNIQUE INDEX "points_identity_unique" ON "points" USING btree ("system_id","scenario_id","kind","load_key");--> statement-breakpoint
CREATE INDEX "points_scenario" ON "points" USING btree ("scenario_id");--> statement-breakpoint
CREATE UNIQUE INDEX "results_submission_ordinal_unique" ON "results" USING btree ("submission_id","ordinal");--> statement-breakpoint
CREATE INDEX "results_point" ON "results" USING btree ("point_id","id");--> statement-breakpoint
CREATE INDEX "scenarios_name" ON "scenarios" USING btree ("name");--> statement-breakpoint
CREATE INDEX "systems_model" ON "systems" USING btree ("model_id");--> statement-breakpoint
CREATE INDEX "systems_model_family" ON "systems" USING btree ("model_family");--> statement-breakpoint
CREATE INDEX "systems_gpu" ON "systems" USING btree ("gpu_id");--> statement-breakpoint
CREATE INDEX "systems_gpu_family" ON "systems" USING btree ("gpu_family");--> statement-breakpoint
CREATE INDEX "systems_quantization" ON "systems" USING btree ("quantization_id");--> statement-breakpoint
CREATE INDEX "systems_engine" ON "systems" USING btree ("engine_id");--> statement-breakpoint
CREATE INDEX "reviews_submission" ON "reviews" USING btree ("submission_id");--> statement-breakpoint
CREATE UNIQUE INDEX "submissions_account_fingerprint_unique" ON "submissions" USING btree ("account_id","fingerprint");--> statement-breakpoint
CREATE INDEX "submissions_artifact" ON "submissions" USING btree ("artifact_sha256");