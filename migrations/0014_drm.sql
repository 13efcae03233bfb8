CREATE TABLE `content_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`target_id` text NOT NULL,
	`source` text NOT NULL,
	`sealed_key` text NOT NULL,
	`iv` text NOT NULL,
	`signals` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `content_keys_of_target` ON `content_keys` (`target_id`,`source`);--> statement-breakpoint
CREATE TABLE `drm_configurations` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`key_systems` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `drm_configurations_in_workspace` ON `drm_configurations` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `playback_ids` ADD `key_systems` text;--> statement-breakpoint
ALTER TABLE `live_streams` ADD `key_systems` text;