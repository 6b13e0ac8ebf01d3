CREATE TABLE "board_figures" (
	"point_id" bigint NOT NULL,
	"status" text NOT NULL,
	"variant" smallint NOT NULL,
	"board_id" integer NOT NULL,
	"system_id" text NOT NULL,
	"model" text NOT NULL,
	"gpu" text NOT NULL,
	"trust" text NOT NULL,
	"unnamed" smallint NOT NULL,
	"output_tok_s_per_gpu" double precision,
	"output_tok_s" double precision,
	"user_tok_s" double precision,
	"decode_tok_s" double precision,
	"req_s" double precision,
	"ttft_ms_mean" double precision,
	"ttft_ms_p50" double precision,
	"ttft_ms_p99" double precision,
	"itl_ms_mean" double precision,
	"itl_ms_p99" double precision,
	"tpot_ms_mean" double precision,
	"tpot_ms_p99" double precision,
	"e2e_ms_mean" double precision,
	CONSTRAINT "board_figures_point_id_status_variant_pk" PRIMARY KEY("point_id","status","variant")
);--> statement-breakpoint
CREATE TABLE "board_systems" (
	"board_id" integer NOT NULL,
	"fact" text NOT NULL,
	"name" text NOT NULL,
	"systems" integer NOT NULL,
	CONSTRAINT "board_systems_fact_name_board_id_pk" PRIMARY KEY("fact","name","board_id")
);--> statement-breakpoint
-- considered: before migrations 0018 to 0027 every process of the release before is stopped
ALTER TABLE "board_totals" DROP CONSTRAINT "board_totals_kind_workload_status_trust_unnamed_shape_id_pk";--> statement-breakpoint
ALTER TABLE "board_totals" ADD COLUMN "fact" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "board_totals" ADD COLUMN "name" text DEFAULT '' NOT NULL;--> statement-breakpoint
-- considered: the boards are filled anew, and the table is small
ALTER TABLE "board_totals" ADD CONSTRAINT "board_totals_pk" PRIMARY KEY("fact","name","kind","workload","status","trust","unnamed","shape_id");--> statement-breakpoint
CREATE INDEX "board_figures_model" ON "board_figures" USING btree ("model","board_id");--> statement-breakpoint
CREATE INDEX "board_figures_covering" ON "board_figures" USING btree ("board_id","gpu","model","status","trust","unnamed","point_id","variant","system_id","output_tok_s_per_gpu","output_tok_s","user_tok_s","decode_tok_s","req_s","ttft_ms_mean","ttft_ms_p50","ttft_ms_p99","itl_ms_mean","itl_ms_p99","tpot_ms_mean","tpot_ms_p99","e2e_ms_mean");
