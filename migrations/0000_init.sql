CREATE TABLE `assets` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`title` text,
	`creator_id` text,
	`metadata` text NOT NULL,
	`access_policy` text NOT NULL,
	`max_resolution` text NOT NULL,
	`media_quality` text NOT NULL,
	`source_url` text NOT NULL,
	`clip_start_ms` integer NOT NULL,
	`clip_end_ms` integer,
	`public_url` text NOT NULL,
	`status` text NOT NULL,
	`stage` text NOT NULL,
	`progress` text,
	`container_format` text,
	`duration_ms` integer,
	`width_px` integer,
	`height_px` integer,
	`frame_rate` text,
	`error_code` text,
	`error_message` text,
	`error_fault` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`deleted_at` integer,
	`purged_at` integer
);
--> statement-breakpoint
CREATE INDEX `assets_in_workspace` ON `assets` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_unstarted` ON `assets` (`started_at`,`created_at`);--> statement-breakpoint
CREATE TABLE `playback_ids` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`access_policy` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `playback_ids_of_asset` ON `playback_ids` (`asset_id`);--> statement-breakpoint
CREATE TABLE `renditions` (
	`asset_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`is_whole` integer NOT NULL,
	`is_top_rung` integer DEFAULT false NOT NULL,
	`codec` text NOT NULL,
	`width_px` integer,
	`height_px` integer,
	`frame_rate_num` integer,
	`frame_rate_den` integer,
	`channels` integer,
	`language_code` text,
	`language_name` text,
	`is_default` integer DEFAULT false NOT NULL,
	`timescale` integer NOT NULL,
	`init_bytes` integer NOT NULL,
	`segments` text NOT NULL,
	PRIMARY KEY(`asset_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `tracks` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`width_px` integer,
	`height_px` integer,
	`frame_rate` text,
	`language_code` text,
	`language_name` text,
	`title` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tracks_of_asset` ON `tracks` (`asset_id`,`position`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`object_type` text NOT NULL,
	`object_id` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_of_object` ON `events` (`object_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_in_workspace` ON `events` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `credentials_of_workspace` ON `credentials` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `organisations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`organisation_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`workspace_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`resource_id` text NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `key`)
);
