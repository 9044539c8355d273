-- Triggers and views, made again after every migration: sha256 9abe165f7f83e4612b2f5622c0dcf4867a65ea2880b7bf95466f4534169a8024
--> statement-breakpoint
ALTER TABLE "replicas" ADD COLUMN "configuration" text COLLATE "C" DEFAULT '' NOT NULL;