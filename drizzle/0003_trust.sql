ALTER TABLE `clock_steps` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `retention` ADD `confirmed_from` integer;--> statement-breakpoint
ALTER TABLE `sync_states` ADD `server_time` integer;--> statement-breakpoint
ALTER TABLE `sync_states` ADD `server_time_at` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `blocked_for_ms` integer;--> statement-breakpoint
ALTER TABLE `walks` ADD `wait_ms` integer DEFAULT 0 NOT NULL;