ALTER TABLE `tenants` ADD `known_since` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `admitted` text;