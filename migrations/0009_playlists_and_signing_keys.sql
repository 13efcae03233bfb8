CREATE TABLE `playlist_media` (
	`playlist_id` text NOT NULL,
	`asset_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`playlist_id`, `asset_id`)
);
--> statement-breakpoint
CREATE TABLE `playlists` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`reference_id` text NOT NULL,
	`type` text NOT NULL,
	`description` text,
	`media_limit` integer NOT NULL,
	`play_order` text,
	`criteria` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `playlists_by_reference` ON `playlists` (`workspace_id`,`reference_id`);--> statement-breakpoint
CREATE INDEX `playlists_in_workspace` ON `playlists` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`public_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `signing_keys_in_workspace` ON `signing_keys` (`workspace_id`,`created_at`,`id`);