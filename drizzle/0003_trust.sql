CREATE TABLE `recent_removals` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`rid` integer NOT NULL,
	`removed_at` integer NOT NULL,
	`server_time` integer,
	PRIMARY KEY(`tenant_id`, `resource`, `rid`)
);
--> statement-breakpoint
ALTER TABLE `clock_steps` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `quarantine` ADD `absent_walks` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `retention` ADD `confirmed_from` integer;--> statement-breakpoint
ALTER TABLE `sync_states` ADD `server_time` integer;--> statement-breakpoint
ALTER TABLE `sync_states` ADD `server_time_at` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `blocked_for_ms` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `known_since` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `admitted` text;--> statement-breakpoint
ALTER TABLE `tenants` DROP COLUMN `clock_skew_ms`;--> statement-breakpoint
ALTER TABLE `walks` ADD `wait_ms` integer DEFAULT 0 NOT NULL;