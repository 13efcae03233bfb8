CREATE TABLE `ai_settings` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`vocabulary` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ai_usage` (
	`workspace_id` text NOT NULL,
	`day` text NOT NULL,
	`kind` text NOT NULL,
	`engine` text NOT NULL,
	`calls` integer NOT NULL,
	`units` real NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `day`, `kind`, `engine`)
);
--> statement-breakpoint
CREATE INDEX `ai_usage_by_age` ON `ai_usage` (`day`);--> statement-breakpoint
CREATE TABLE `caption_versions` (
	`track_id` text NOT NULL,
	`version` integer NOT NULL,
	`folder` text NOT NULL,
	`cue_count` integer NOT NULL,
	`bytes` integer NOT NULL,
	`restored_from` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`track_id`, `version`)
);
