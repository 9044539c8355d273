ALTER TABLE `clock_steps` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `retention` ADD `confirmed_from` integer;