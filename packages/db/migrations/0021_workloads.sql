ALTER TABLE "points" ADD COLUMN "workload" text;--> statement-breakpoint
ALTER TABLE "points" ADD COLUMN "regime" text;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "measured_lengths" jsonb;--> statement-breakpoint
-- considered: points are hundreds of thousands at most when this release comes, and nobody writes to their indexes for longer than a second
CREATE INDEX "points_workload" ON "points" USING btree ("workload");--> statement-breakpoint
-- considered: scenarios are few; what was custom is named by its data set and its lengths, two significant digits of each
UPDATE "scenarios" sc SET "name" = shape.name, "key" = '["' || shape.name || '"' || substr(sc.key, length('["custom"') + 1)
FROM (
  SELECT id,
    coalesce(nullif(concat_ws('-', slug,
      CASE WHEN i > 0 AND o IS NULL THEN 'in' END, i, CASE WHEN o > 0 AND i IS NULL THEN 'out' END, o), ''), 'unspecified')
      || coalesce('@d' || depth, '') AS name
  FROM (
    SELECT id, depth,
      CASE WHEN input_tokens < 10 THEN nullif(input_tokens, 0)
        ELSE round(input_tokens::numeric, 1 - floor(log(input_tokens::numeric))::int)::bigint END AS i,
      CASE WHEN output_tokens < 10 THEN nullif(output_tokens, 0)
        ELSE round(output_tokens::numeric, 1 - floor(log(output_tokens::numeric))::int)::bigint END AS o,
      CASE WHEN lower(dataset) NOT IN ('random', 'custom', 'dataset', 'data', 'hf', 'file', 'other', 'unknown', 'none') THEN nullif(trim('-' FROM left(
        regexp_replace(lower(regexp_replace(dataset, '\.(jsonl?|csv|parquet|txt)$', '', 'i')), '[^[:alnum:]]+', '-', 'g'), 60)), '') END AS slug
    FROM "scenarios" WHERE "name" = 'custom'
  ) facts
) shape
WHERE shape.id = sc.id;--> statement-breakpoint
-- considered: every point gets its workload once, in the time that reading them all takes
UPDATE "points" p SET "regime" = facts.regime, "workload" = sc.name || coalesce('-' || facts.regime, '')
FROM "scenarios" sc, (
  SELECT id, CASE WHEN kind = 'serving' THEN
    CASE load_mode WHEN 'batch' THEN 'offline' WHEN 'burst' THEN 'burst' WHEN 'unspecified' THEN 'unspecified' ELSE 'steady' END
  END AS regime FROM "points"
) facts
WHERE sc.id = p.scenario_id AND facts.id = p.id;
