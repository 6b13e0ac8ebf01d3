ALTER TABLE "artifacts" ADD COLUMN "packing" text;--> statement-breakpoint
-- What is packed already would only be tried again.
ALTER TABLE "artifacts" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
