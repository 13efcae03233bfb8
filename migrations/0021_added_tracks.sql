CREATE TABLE `added_tracks` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`kind` text NOT NULL,
	`url` text,
	`language_code` text NOT NULL,
	`language_name` text NOT NULL,
	`title` text,
	`is_default` integer DEFAULT false NOT NULL,
	`is_forced` integer DEFAULT false NOT NULL,
	`is_closed_captions` integer DEFAULT false NOT NULL,
	`replaces_sound` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`captions` text,
	`error_code` text,
	`error_message` text,
	`error_fault` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `added_tracks_of_asset` ON `added_tracks` (`asset_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `added_tracks_preparing` ON `added_tracks` (`created_at`) WHERE status = 'preparing';