CREATE TABLE `audit_chain` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`sequence` integer NOT NULL,
	`at` integer NOT NULL,
	`log` text NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	`row_count` integer NOT NULL,
	`digest` text NOT NULL,
	`replaces` integer NOT NULL,
	`differs` integer NOT NULL,
	`sealed_to` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_chain_sequence` ON `audit_chain` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_chain_log` ON `audit_chain` (`tenant_id`,`log`,`sequence`);--> statement-breakpoint
CREATE TABLE `accepted_removals` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`rid` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`, `rid`)
);
--> statement-breakpoint
CREATE TABLE `decisions` (
	`id` integer PRIMARY KEY NOT NULL,
	`hold_id` text NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`hold_reason` text NOT NULL,
	`count` integer NOT NULL,
	`reason` text NOT NULL,
	`decided_at` integer NOT NULL,
	`applied_at` integer
);
--> statement-breakpoint
CREATE TABLE `held_records` (
	`hold_id` text NOT NULL,
	`rid` integer NOT NULL,
	PRIMARY KEY(`hold_id`, `rid`)
);
--> statement-breakpoint
CREATE TABLE `holds` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	`message` text NOT NULL,
	`cause` text NOT NULL,
	`raised_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `waived_findings` (
	`fingerprint` text NOT NULL,
	`waiver` text NOT NULL,
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`terms` text NOT NULL,
	`facts` text NOT NULL,
	`severity` text NOT NULL,
	`accepted_at` integer NOT NULL,
	`lapsed_at` integer,
	`lapsed_facts` text,
	`open_severity` text,
	PRIMARY KEY(`fingerprint`, `waiver`)
);
--> statement-breakpoint
CREATE INDEX `waived_findings_waiver` ON `waived_findings` (`tenant_id`,`waiver`);--> statement-breakpoint
CREATE INDEX `waived_findings_lapsed` ON `waived_findings` (`tenant_id`,`check`,`waiver`,`terms`,`open_severity`,`lapsed_at`) WHERE lapsed_at is not null and open_severity is not null;--> statement-breakpoint
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
CREATE TABLE `check_states` (
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`entities` integer,
	`not_evaluated` integer,
	`since` integer NOT NULL,
	`evaluated_at` integer NOT NULL,
	`valid_until` integer,
	`rule` text,
	`open` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`tenant_id`, `check`)
);
--> statement-breakpoint
CREATE TABLE `check_status_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`check` text NOT NULL,
	`at` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`entities` integer,
	`not_evaluated` integer,
	`since` integer,
	`rule` text,
	`open` text DEFAULT '{}' NOT NULL,
	`confirmed_at` integer,
	`valid_until` integer
);
--> statement-breakpoint
CREATE INDEX `check_status_changes_time` ON `check_status_changes` (`tenant_id`,`check`,`at`);--> statement-breakpoint
CREATE INDEX `check_status_changes_tenant` ON `check_status_changes` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `evaluated_counts` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`)
);
--> statement-breakpoint
CREATE TABLE `finding_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`fingerprint` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`message` text NOT NULL,
	`evidence` text NOT NULL,
	`resolution` text
);
--> statement-breakpoint
CREATE INDEX `finding_events_finding` ON `finding_events` (`fingerprint`,`at`);--> statement-breakpoint
CREATE INDEX `finding_events_time` ON `finding_events` (`at`);--> statement-breakpoint
CREATE INDEX `finding_events_tenant` ON `finding_events` (`tenant_id`,`id`);--> statement-breakpoint
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
CREATE INDEX `findings_open` ON `findings` (`tenant_id`,`check`,`severity`,`first_seen_at`,`fingerprint`) WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX `findings_all` ON `findings` (`tenant_id`,`check`);--> statement-breakpoint
CREATE TABLE `changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`field` text,
	`before` text,
	`after` text,
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `changes_entity` ON `changes` (`tenant_id`,`resource`,`key`);--> statement-breakpoint
CREATE INDEX `changes_time` ON `changes` (`at`);--> statement-breakpoint
CREATE INDEX `changes_tenant` ON `changes` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `quarantine` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`raw` text NOT NULL,
	`problem` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`request_id` text,
	`full_sync_id` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`, `key`)
);
--> statement-breakpoint
CREATE TABLE `recent_removals` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`rid` integer NOT NULL,
	`removed_at` integer NOT NULL,
	`server_time` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`, `rid`)
);
--> statement-breakpoint
CREATE TABLE `record_counts` (
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`grouping` text NOT NULL,
	`value` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`, `grouping`, `value`)
);
--> statement-breakpoint
CREATE TABLE `full_sync_pages` (
	`full_sync_id` integer NOT NULL,
	`page` integer NOT NULL,
	`cursor_digest` text,
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
	`reached_end` integer DEFAULT 0 NOT NULL,
	`unreadable` integer DEFAULT 0 NOT NULL,
	`empty_pages` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `full_syncs_resource` ON `full_syncs` (`tenant_id`,`resource`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`resource` text NOT NULL,
	`mode` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`message` text,
	`pages` integer NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`unchanged` integer NOT NULL,
	`removed` integer NOT NULL,
	`quarantined` integer NOT NULL,
	`complete_started_at` integer,
	`complete_duration_ms` integer,
	`live` integer
);
--> statement-breakpoint
CREATE INDEX `runs_time` ON `runs` (`started_at`);--> statement-breakpoint
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
	`full_sync_owed` integer DEFAULT 0 NOT NULL,
	`incremental_paused` integer DEFAULT 0 NOT NULL,
	`empty_accepted` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource`)
);
--> statement-breakpoint
CREATE TABLE `clock_steps` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`latest` integer NOT NULL,
	`until` integer NOT NULL,
	`resumed` integer,
	`confirmed_at` integer,
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
CREATE TABLE `configured_tenants` (
	`tenant` text PRIMARY KEY NOT NULL,
	`resources` text NOT NULL,
	`checks` text NOT NULL,
	`waivers` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retention` (
	`id` integer PRIMARY KEY NOT NULL,
	`begun_at` integer,
	`confirmed_from` integer,
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
CREATE TABLE `tenants` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`base_url` text NOT NULL,
	`created_at` integer NOT NULL,
	`blocked_until` integer DEFAULT 0 NOT NULL,
	`blocked_for_ms` integer,
	`change_accepted` text,
	`accepted_credential` text,
	`denied_credential` text,
	`known_since` integer,
	`admitted` text,
	`erase_before` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_name_unique` ON `tenants` (`name`);--> statement-breakpoint
CREATE TABLE `api_clients` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`client_key` text NOT NULL,
	`client_id` text NOT NULL,
	`name` text,
	`role_name` text,
	`secret_expiration_date` text NOT NULL,
	`secret_expiration_date_ms` integer NOT NULL,
	`created_at` text,
	`created_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_clients_key` ON `api_clients` (`tenant_id`,`client_key`);--> statement-breakpoint
CREATE INDEX `api_clients_expiry` ON `api_clients` (`tenant_id`,`secret_expiration_date_ms`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `api_clients_role` ON `api_clients` (`tenant_id`,`role_name`) WHERE removed_at is null;--> statement-breakpoint
CREATE TABLE `authentication_settings` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`singleton` integer NOT NULL,
	`sso_enabled` integer NOT NULL,
	`sso_enforced` integer NOT NULL,
	`provider_type` text,
	`tenant_name` text,
	`mfa_enabled` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authentication_settings_key` ON `authentication_settings` (`tenant_id`,`singleton`);--> statement-breakpoint
CREATE TABLE `documents` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`file_key` text NOT NULL,
	`file_id` text NOT NULL,
	`filename` text,
	`upload_status` text,
	`created_at` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at` text,
	`updated_at_ms` integer,
	`touched_at_ms` integer NOT NULL,
	`status_since` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `documents_key` ON `documents` (`tenant_id`,`file_key`);--> statement-breakpoint
CREATE INDEX `documents_status` ON `documents` (`tenant_id`,`upload_status`,`status_since`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `documents_touched` ON `documents` (`tenant_id`,`touched_at_ms`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `documents_name` ON `documents` (`tenant_id`,`filename`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `documents_absent` ON `documents` (`tenant_id`) WHERE absent_full_syncs > 0;--> statement-breakpoint
CREATE TABLE `permissions` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`permission_id` integer NOT NULL,
	`name` text,
	`module` text,
	`function` text,
	`code` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `permissions_key` ON `permissions` (`tenant_id`,`permission_id`);--> statement-breakpoint
CREATE TABLE `roles` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`role_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`state` text NOT NULL,
	`type` text,
	`is_read_only` integer,
	`permissions` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_key` ON `roles` (`tenant_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`rid` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`extra` text,
	`first_seen_at` integer NOT NULL,
	`first_request_id` text,
	`read_at` integer NOT NULL,
	`request_id` text,
	`removed_at` integer,
	`missing_since` integer,
	`lookup_turn` integer,
	`absent_full_syncs` integer DEFAULT 0 NOT NULL,
	`user_id` integer NOT NULL,
	`first_name` text,
	`last_name` text,
	`email` text,
	`state` text NOT NULL,
	`mfa_status` integer NOT NULL,
	`mfa_action` integer NOT NULL,
	`role_id` integer,
	`role_name` text,
	`created_at` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`detail_read_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_key` ON `users` (`tenant_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `users_posture` ON `users` (`tenant_id`,`state`,`mfa_status`,`mfa_action`,`created_at_ms`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `users_role` ON `users` (`tenant_id`,`role_name`,`role_id`) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX `users_unread` ON `users` (`tenant_id`,`lookup_turn`,read_at desc) WHERE role_id is null and removed_at is null;--> statement-breakpoint
CREATE INDEX `users_lookup` ON `users` (`tenant_id`,`lookup_turn`,`user_id`) WHERE role_id is not null and removed_at is null;--> statement-breakpoint
CREATE INDEX `users_missing` ON `users` (`tenant_id`,`lookup_turn`) WHERE missing_since is not null;