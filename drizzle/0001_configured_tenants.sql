CREATE TABLE `configured_tenants` (
	`tenant` text PRIMARY KEY NOT NULL,
	`resources` text NOT NULL,
	`checks` text NOT NULL,
	`waivers` text NOT NULL
);
