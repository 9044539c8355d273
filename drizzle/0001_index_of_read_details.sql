DROP INDEX `users_lookup`;--> statement-breakpoint
CREATE INDEX `users_lookup` ON `users` (`tenant_id`,`lookup_turn`,`user_id`) WHERE role_id is not null and removed_at is null;