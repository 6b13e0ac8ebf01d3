CREATE TABLE "data_versions" (
	"scope" text NOT NULL,
	"shard" integer NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "data_versions_scope_shard_pk" PRIMARY KEY("scope","shard")
);
--> statement-breakpoint
INSERT INTO "data_versions" ("scope", "shard", "n")
SELECT scope, shard, 0 FROM unnest(ARRAY['results', 'concerns']) scope, generate_series(0, 31) shard;--> statement-breakpoint
-- Counts a transaction once for each scope, on a shard that nobody else has locked, so that it waits for nobody. The note that
-- it has counted ends with the transaction, and goes with a savepoint that is rolled back, as what was counted does.
CREATE FUNCTION "count_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	changed text := TG_ARGV[0];
	note text := 'inferboard.changed_' || changed;
BEGIN
	IF current_setting(note, true) = 'yes' THEN
		RETURN NULL;
	END IF;
-- considered: one row, which nobody else has locked
	UPDATE public.data_versions SET n = n + 1 WHERE scope = changed AND shard = (
		SELECT v.shard FROM public.data_versions v WHERE v.scope = changed LIMIT 1 FOR UPDATE SKIP LOCKED);
	IF NOT FOUND THEN
		INSERT INTO public.data_versions AS v (scope, shard, n) VALUES (changed, 32 + floor(random() * 2000000000)::int, 1)
		ON CONFLICT (scope, shard) DO UPDATE SET n = v.n + 1;
	END IF;
	PERFORM set_config(note, 'yes', true);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "accounts" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "artifacts_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "artifacts" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "submissions_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "submissions" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "reviews_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "reviews" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "systems_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "systems" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "scenarios_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "scenarios" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "points_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "points" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "results_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "results" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "point_statistics_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "point_statistics" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('results');--> statement-breakpoint
CREATE TRIGGER "concerns_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "concerns" FOR EACH STATEMENT EXECUTE FUNCTION "count_change"('concerns');
