DROP INDEX `findings_open`;--> statement-breakpoint
CREATE INDEX `findings_open` ON `findings` (`tenant_id`,`check`,`severity`,`first_seen_at`,`fingerprint`) WHERE resolved_at is null;