CREATE TABLE `accepted_states` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`entity_id` text NOT NULL,
	`state` text NOT NULL,
	`at` integer NOT NULL,
	`reason` text
);
--> statement-breakpoint
CREATE INDEX `accepted_states_check` ON `accepted_states` (`tenant_id`,`check`);--> statement-breakpoint
CREATE TABLE `check_problems` (
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`problem` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `check`)
);
--> statement-breakpoint
CREATE TABLE `clock_steps` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`latest` integer NOT NULL,
	`until` integer NOT NULL,
	`resumed` integer,
	`positions` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `configurations` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`digest` text NOT NULL,
	`content` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retention` (
	`id` integer PRIMARY KEY NOT NULL,
	`begun_at` integer,
	`erased_before` integer
);
--> statement-breakpoint
CREATE TABLE `tenant_states` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`at` integer NOT NULL,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `tenant_states_tenant` ON `tenant_states` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `waiver_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`waiver` text NOT NULL,
	`at` integer NOT NULL,
	`terms` text NOT NULL,
	`check` text NOT NULL,
	`fingerprint` text,
	`accepted` text,
	`changed` text
);
--> statement-breakpoint
CREATE INDEX `waiver_changes_waiver` ON `waiver_changes` (`tenant_id`,`waiver`);--> statement-breakpoint
CREATE INDEX `waiver_changes_time` ON `waiver_changes` (`at`);--> statement-breakpoint
CREATE TABLE `waived_findings` (
	`fingerprint` text NOT NULL,
	`waiver` text NOT NULL,
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`terms` text NOT NULL,
	`facts` text NOT NULL,
	`severity` text NOT NULL,
	`accepted_at` integer NOT NULL,
	`later` integer DEFAULT 0 NOT NULL,
	`graver` integer DEFAULT 0 NOT NULL,
	`lapsed_at` integer,
	`lapsed_facts` text,
	`open_severity` text,
	PRIMARY KEY(`fingerprint`, `waiver`)
);
--> statement-breakpoint
CREATE INDEX `waived_findings_waiver` ON `waived_findings` (`tenant_id`,`waiver`);--> statement-breakpoint
CREATE INDEX `waived_findings_lapsed` ON `waived_findings` (`tenant_id`,`check`,`waiver`,`terms`,`open_severity`,`lapsed_at`) WHERE lapsed_at is not null and open_severity is not null;--> statement-breakpoint
CREATE INDEX `waived_findings_broad` ON `waived_findings` (`tenant_id`,`waiver`,`terms`,`later`,`graver`) WHERE lapsed_at is null and open_severity is not null and (later = 1 or graver = 1);--> statement-breakpoint
CREATE TABLE `waivers` (
	`tenant_id` integer NOT NULL,
	`id` text NOT NULL,
	`check` text NOT NULL,
	`entity` text NOT NULL,
	`entity_key` text NOT NULL,
	`terms` text NOT NULL,
	`since` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
ALTER TABLE `check_states` ADD `not_judged` integer;--> statement-breakpoint
ALTER TABLE `check_status_changes` ADD `not_judged` integer;--> statement-breakpoint
ALTER TABLE `check_status_changes` ADD `since` integer;--> statement-breakpoint
ALTER TABLE `check_status_changes` ADD `rule` text;--> statement-breakpoint
ALTER TABLE `check_status_changes` ADD `open` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `check_status_changes` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `finding_drafts` ADD `facts` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `complete_started_at` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `complete_duration_ms` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `live` integer;--> statement-breakpoint
-- Carried over: the record of verdicts begins with the present ones, that of findings with those that are open.
INSERT INTO `check_status_changes` (`tenant_id`, `check`, `at`, `status`, `reason`, `entities`, `since`, `rule`, `open`) SELECT `tenant_id`, `check`, `evaluated_at`, `status`, `reason`, `entities`, `since`, `rule`, `open` FROM `check_states`;--> statement-breakpoint
INSERT INTO `finding_events` (`fingerprint`, `at`, `kind`, `severity`, `message`, `evidence`) SELECT `fingerprint`, `last_seen_at`, 'changed', `severity`, `message`, `evidence` FROM `findings` WHERE `resolved_at` IS NULL AND `fingerprint` NOT IN (SELECT `fingerprint` FROM `finding_events`);--> statement-breakpoint
UPDATE `runs` SET `complete_started_at` = (SELECT `complete_started_at` FROM `sync_states` s WHERE s.`tenant_id` = `runs`.`tenant_id` AND s.`resource` = `runs`.`resource`), `complete_duration_ms` = (SELECT `complete_duration_ms` FROM `sync_states` s WHERE s.`tenant_id` = `runs`.`tenant_id` AND s.`resource` = `runs`.`resource`) WHERE `id` IN (SELECT max(`id`) FROM `runs` GROUP BY `tenant_id`, `resource`);
