-- A random step instead of one: after a failover that lost commits, the sum would otherwise repeat earlier values. Standbys see the
-- same sum as the primary.
CREATE OR REPLACE FUNCTION "count_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	changed text := TG_ARGV[0];
	note text := 'inferboard.changed_' || changed;
	step bigint;
BEGIN
	IF current_setting(note, true) = 'yes' THEN
		RETURN NULL;
	END IF;
	step := 1 + floor(random() * 1000000000)::bigint;
-- considered: one row, which nobody else has locked
	UPDATE public.data_versions SET n = n + step WHERE scope = changed AND shard = (
		SELECT v.shard FROM public.data_versions v WHERE v.scope = changed LIMIT 1 FOR UPDATE SKIP LOCKED);
	IF NOT FOUND THEN
		INSERT INTO public.data_versions AS v (scope, shard, n) VALUES (changed, 32 + floor(random() * 2000000000)::int, step)
		ON CONFLICT (scope, shard) DO UPDATE SET n = v.n + step;
	END IF;
	PERFORM set_config(note, 'yes', true);
	RETURN NULL;
END $$;
