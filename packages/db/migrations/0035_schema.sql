CREATE TABLE "board_firsts" (
	"kind" text NOT NULL,
	"workload" text NOT NULL,
	"metric" text NOT NULL,
	"definition_group" text NOT NULL,
	"system_id" text NOT NULL,
	"point_id" bigint NOT NULL,
	"account_id" text NOT NULL,
	"worth" double precision NOT NULL,
	CONSTRAINT "board_firsts_metric_kind_workload_definition_group_pk" PRIMARY KEY("metric","kind","workload","definition_group")
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_key_id_api_keys_id_fk";
--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "workloads" text[] DEFAULT '{}' NOT NULL;