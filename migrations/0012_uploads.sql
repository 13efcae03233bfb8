CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`playback_id` text NOT NULL,
	`cors_origin` text NOT NULL,
	`settings` text NOT NULL,
	`status` text NOT NULL,
	`public_url` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_waiting` ON `uploads` (`workspace_id`,`created_at`,`id`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `uploads_unfinished` ON `uploads` (`created_at`) WHERE status = 'waiting';--> statement-breakpoint
ALTER TABLE `renditions` ADD `arrived_segments` integer;