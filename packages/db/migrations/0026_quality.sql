-- considered: before migrations 0018 to 0027 every process of the release before is stopped
ALTER TABLE "points" DROP CONSTRAINT "points_kind_known";--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "score" double precision;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "perplexity" double precision;--> statement-breakpoint
ALTER TABLE "point_statistics" ADD COLUMN "kl_divergence" double precision;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "score" double precision;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "perplexity" double precision;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "kl_divergence" double precision;--> statement-breakpoint
ALTER TABLE "scenarios" ADD COLUMN "quality" jsonb;--> statement-breakpoint
-- considered: before migrations 0018 to 0027 every process of the release before is stopped
ALTER TABLE "points" ADD CONSTRAINT "points_kind_known" CHECK ("points"."kind" in ('serving', 'kernel', 'training', 'quality'));