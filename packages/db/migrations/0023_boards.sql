CREATE TABLE "board_points" (
	"point_id" bigint NOT NULL,
	"status" text NOT NULL,
	"kind" text NOT NULL,
	"workload" text NOT NULL,
	"system_id" text NOT NULL,
	"trust" text NOT NULL,
	"unnamed" smallint NOT NULL,
	"shape_id" integer NOT NULL,
	CONSTRAINT "board_points_point_id_status_pk" PRIMARY KEY("point_id","status")
);
--> statement-breakpoint
CREATE TABLE "board_rows" (
	"board_id" integer NOT NULL,
	"point_id" bigint NOT NULL,
	"status" text NOT NULL,
	"variant" smallint NOT NULL,
	"system_id" text NOT NULL,
	"worth" double precision NOT NULL,
	"n" integer,
	"sd" double precision,
	"reach" double precision,
	"tools" text[] NOT NULL,
	"trust" text NOT NULL,
	"disputed" boolean NOT NULL,
	"unnamed" smallint NOT NULL,
	"is_first" boolean NOT NULL,
	"is_best" boolean NOT NULL,
	CONSTRAINT "board_rows_point_id_board_id_status_variant_pk" PRIMARY KEY("point_id","board_id","status","variant")
);
--> statement-breakpoint
CREATE TABLE "board_totals" (
	"kind" text NOT NULL,
	"workload" text NOT NULL,
	"status" text NOT NULL,
	"trust" text NOT NULL,
	"unnamed" smallint NOT NULL,
	"shape_id" integer NOT NULL,
	"points" integer NOT NULL,
	CONSTRAINT "board_totals_kind_workload_status_trust_unnamed_shape_id_pk" PRIMARY KEY("kind","workload","status","trust","unnamed","shape_id")
);
--> statement-breakpoint
CREATE TABLE "boards" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "boards_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"workload" text NOT NULL,
	"metric" text NOT NULL,
	"definition_group" text NOT NULL,
	"systems" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "point_shapes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "point_shapes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"shape" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_scatter" (
	"metric" text NOT NULL,
	"definition_group" text NOT NULL,
	"tool" text NOT NULL,
	"squares" numeric NOT NULL,
	"df" integer NOT NULL,
	"groups" integer NOT NULL,
	CONSTRAINT "tool_scatter_metric_definition_group_tool_pk" PRIMARY KEY("metric","definition_group","tool")
);
--> statement-breakpoint
DROP INDEX "point_statistics_changed_in";--> statement-breakpoint
DROP INDEX "points_emptied_in";--> statement-breakpoint
CREATE INDEX "board_points_workload" ON "board_points" USING btree ("workload");--> statement-breakpoint
CREATE INDEX "board_points_system" ON "board_points" USING btree ("system_id");--> statement-breakpoint
CREATE INDEX "board_rows_walk" ON "board_rows" USING btree ("board_id","worth");--> statement-breakpoint
CREATE INDEX "board_rows_best" ON "board_rows" USING btree ("board_id","worth") WHERE "board_rows"."is_best";--> statement-breakpoint
CREATE INDEX "board_rows_reach" ON "board_rows" USING btree ("board_id","reach") WHERE "board_rows"."reach" is not null;--> statement-breakpoint
CREATE INDEX "board_rows_system" ON "board_rows" USING btree ("system_id","board_id","worth");--> statement-breakpoint
CREATE UNIQUE INDEX "boards_identity_unique" ON "boards" USING btree ("metric","kind","workload","definition_group");--> statement-breakpoint
CREATE UNIQUE INDEX "point_shapes_unique" ON "point_shapes" USING btree (md5("shape"));--> statement-breakpoint
-- considered: before migrations 0018 to 0023 every process of the release before is stopped
ALTER TABLE "point_statistics" DROP COLUMN "changed_in";--> statement-breakpoint
-- considered: before migrations 0018 to 0023 every process of the release before is stopped
ALTER TABLE "points" DROP COLUMN "emptied_in";--> statement-breakpoint
-- A new release fills the boards anew, of statistics that stay as they are.
CREATE TRIGGER "boards_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "boards" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');
