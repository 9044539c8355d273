-- Triggers and views, made again after every migration: sha256 ed370c848288dcd1b2f85630b9995d56dfb45bbafb18db1a03c168dd57e40608
--> statement-breakpoint
ALTER TABLE "replicas" ADD COLUMN "configuration" text COLLATE "C" DEFAULT '' NOT NULL;