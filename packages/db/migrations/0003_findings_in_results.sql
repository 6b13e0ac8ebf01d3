ALTER TABLE "results" ADD COLUMN "findings" jsonb;--> statement-breakpoint
UPDATE "results" r SET "findings" = coalesce((
  SELECT jsonb_agg(jsonb_build_object('code', f.code, 'severity', f.severity, 'message', f.message, 'evidence', f.evidence) ORDER BY f.ordinal)
  FROM "findings" f WHERE f.result_id = r.id), '[]'::jsonb);--> statement-breakpoint
ALTER TABLE "results" ALTER COLUMN "findings" SET NOT NULL;--> statement-breakpoint
DROP TABLE "findings";
