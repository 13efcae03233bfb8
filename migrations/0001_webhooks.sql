CREATE TABLE `request_logs` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`at` integer NOT NULL,
	`request_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`method` text NOT NULL,
	`route` text NOT NULL,
	`status` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`resource_ids` text NOT NULL,
	`resource_id` text
);
--> statement-breakpoint
CREATE INDEX `request_logs_in_workspace` ON `request_logs` (`workspace_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `request_logs_of_resource` ON `request_logs` (`resource_id`,`at`);--> statement-breakpoint
CREATE INDEX `request_logs_by_age` ON `request_logs` (`at`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`event_id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`naming` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`first_tried_at` integer,
	`next_attempt_at` integer,
	`last_failure` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`event_id`, `webhook_id`)
);
--> statement-breakpoint
CREATE INDEX `deliveries_due_for_webhook` ON `deliveries` (`webhook_id`,`status`,`next_attempt_at`,`event_id`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`status`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `deliveries_of_webhook` ON `deliveries` (`webhook_id`,`created_at`,`event_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_age` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`event_id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`number` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`failure` text,
	`detail` text,
	`response_head` text NOT NULL,
	PRIMARY KEY(`event_id`, `webhook_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `delivery_attempts_by_age` ON `delivery_attempts` (`started_at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text,
	`event_types` text NOT NULL,
	`matched_types` text,
	`matched_version` text,
	`naming` text NOT NULL,
	`enabled` integer NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`failing_since` integer,
	`disabled_reason` text,
	`disabled_at` integer,
	`last_attempt_at` integer,
	`last_status` integer,
	`last_failure` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhooks_in_workspace` ON `webhooks` (`workspace_id`,`created_at`);--> statement-breakpoint
-- Events had no body before this and nobody could read them: they start anew.
DROP TABLE `events`;--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`video_type` text NOT NULL,
	`object_type` text NOT NULL,
	`object_id` text NOT NULL,
	`created_at` text NOT NULL,
	`body` text NOT NULL,
	`is_test` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_by_age` ON `events` (`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_of_object` ON `events` (`object_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_in_workspace` ON `events` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `assets` ADD `revision` integer DEFAULT 0 NOT NULL;
