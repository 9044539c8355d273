CREATE TABLE `holds` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	`message` text NOT NULL,
	`cause` text NOT NULL,
	`raised_at` integer NOT NULL,
	`rids` text DEFAULT '[]' NOT NULL,
	`accepted_reason` text,
	`applied_at` integer
);
--> statement-breakpoint
CREATE TABLE `event_chains` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`last_id` integer DEFAULT 0 NOT NULL,
	`hash` text DEFAULT '' NOT NULL,
	`last_at` integer DEFAULT 0 NOT NULL,
	`confirmed_from` integer
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`data` text,
	`request_id` text,
	`digest` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_subject` ON `events` (`tenant_id`,`kind`,`subject`,`id`);--> statement-breakpoint
CREATE INDEX `events_tenant` ON `events` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `events_time` ON `events` (`tenant_id`,`at`) WHERE data is not null;--> statement-breakpoint
CREATE TABLE `check_states` (
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`entities` integer,
	`not_evaluated` integer,
	`since` integer NOT NULL,
	`evaluated_at` integer NOT NULL,
	`changes_at` integer,
	`basis` text,
	`rule` text,
	`open` text DEFAULT '{}' NOT NULL,
	`problem` text,
	PRIMARY KEY(`tenant_id`, `check`)
);
--> statement-breakpoint
CREATE TABLE `evaluated_counts` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`counts` text NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`)
);
--> statement-breakpoint
CREATE TABLE `findings` (
	`id` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`entity_type` text NOT NULL,
	`entity_id` text NOT NULL,
	`severity` text NOT NULL,
	`message` text NOT NULL,
	`evidence` text NOT NULL,
	`digest` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`resolved_at` integer,
	`resolution` text,
	`reopened` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `findings_fingerprint` ON `findings` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `findings_open` ON `findings` (`tenant_id`,`check`,`severity`,`id`) WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX `findings_all` ON `findings` (`tenant_id`,`check`);--> statement-breakpoint
CREATE INDEX `findings_tenant` ON `findings` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `findings_severity` ON `findings` (`tenant_id`,(case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 when 'info' then 4 end),`check`,`id`) WHERE resolved_at is null;--> statement-breakpoint
CREATE TABLE `notification_positions` (
	`tenant_id` integer NOT NULL,
	`target` text NOT NULL,
	`event_id` integer NOT NULL,
	`failing_since` integer,
	`problem` text,
	PRIMARY KEY(`tenant_id`, `target`)
);
--> statement-breakpoint
CREATE TABLE `records` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`body` text,
	`supplement` text,
	`problem` text,
	`raw` text,
	`problem_since` integer,
	`first_seen_at` integer NOT NULL,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`absent` integer DEFAULT 0 NOT NULL,
	`provisional` integer DEFAULT 0 NOT NULL,
	`looked_up_at` integer,
	`accepted` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `records_key` ON `records` (`tenant_id`,`resource`,`key`);--> statement-breakpoint
CREATE INDEX `records_problem` ON `records` (`tenant_id`,`resource`) WHERE problem is not null;--> statement-breakpoint
CREATE INDEX `records_missing` ON `records` (`tenant_id`,`resource`) WHERE missing_since is not null;--> statement-breakpoint
CREATE INDEX `records_provisional` ON `records` (`tenant_id`,`resource`) WHERE provisional = 1;--> statement-breakpoint
CREATE INDEX `records_accepted` ON `records` (`tenant_id`,`resource`) WHERE accepted = 1;--> statement-breakpoint
CREATE INDEX `records_removed` ON `records` (`tenant_id`,`resource`,`removed_at`) WHERE removed_at is not null;--> statement-breakpoint
CREATE TABLE `full_sync_pages` (
	`full_sync_id` integer NOT NULL,
	`page` integer NOT NULL,
	`rids` blob NOT NULL,
	PRIMARY KEY(`full_sync_id`, `page`)
);
--> statement-breakpoint
CREATE TABLE `full_syncs` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`started_at` integer NOT NULL,
	`start_server_time` integer,
	`start_request_id` text,
	`progress_at` integer NOT NULL,
	`full_sync_ms` integer DEFAULT 0 NOT NULL,
	`wait_ms` integer DEFAULT 0 NOT NULL,
	`pages` integer DEFAULT 0 NOT NULL,
	`next_cursor` text,
	`last_cursor` text,
	`cursor_before` text,
	`reached_end` integer DEFAULT false NOT NULL,
	`not_whole` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `full_syncs_resource` ON `full_syncs` (`tenant_id`,`resource`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`ended_at` integer NOT NULL,
	`complete_started_at` integer,
	`complete_duration_ms` integer,
	`live` integer
);
--> statement-breakpoint
CREATE INDEX `runs_time` ON `runs` (`tenant_id`,`ended_at`);--> statement-breakpoint
CREATE TABLE `sync_states` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`cursor` text,
	`reached_end_server_time` integer,
	`complete_started_at` integer,
	`complete_server_time` integer,
	`complete_duration_ms` integer,
	`complete_request_id` text,
	`server_time` integer,
	`server_time_at` integer,
	`incremental_attempt_at` integer,
	`incremental_success_at` integer,
	`incremental_reason` text,
	`full_attempt_at` integer,
	`full_success_at` integer,
	`full_reason` text,
	`denied` text,
	`token_refused_at` integer,
	`message` text,
	`reset_full_sync_at` integer,
	`full_sync_owed` integer DEFAULT false NOT NULL,
	`incremental_paused` integer DEFAULT false NOT NULL,
	`empty_accepted` text,
	`version` integer DEFAULT 0 NOT NULL,
	`live` integer DEFAULT 0 NOT NULL,
	`first_complete_at` integer,
	`details_after` text,
	PRIMARY KEY(`tenant_id`, `resource`)
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`base_url` text NOT NULL,
	`created_at` integer NOT NULL,
	`blocked_until` integer DEFAULT 0 NOT NULL,
	`blocked_for_ms` integer,
	`change_accepted` text,
	`accepted_ids` text DEFAULT '[]' NOT NULL,
	`former` text DEFAULT '[]' NOT NULL,
	`accepted_credential` text,
	`former_until` integer,
	`admitted` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_name_unique` ON `tenants` (`name`);