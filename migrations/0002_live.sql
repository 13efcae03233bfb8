CREATE TABLE `ingest_gateways` (
	`id` text PRIMARY KEY NOT NULL,
	`rtmp_url` text,
	`rtmps_url` text,
	`srt_url` text,
	`http_url` text NOT NULL,
	`started_at` integer NOT NULL,
	`heard_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `live_playback_ids` (
	`id` text PRIMARY KEY NOT NULL,
	`stream_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`access_policy` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `live_playback_ids_of_stream` ON `live_playback_ids` (`stream_id`);--> statement-breakpoint
CREATE TABLE `live_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`stream_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`media_id` text,
	`gateway_id` text NOT NULL,
	`protocol` text NOT NULL,
	`latency_mode` text NOT NULL,
	`part_target_ms` integer NOT NULL,
	`segment_ms` integer NOT NULL,
	`renditions` text,
	`segments` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`end_reason` text
);
--> statement-breakpoint
CREATE INDEX `live_sessions_of_stream` ON `live_sessions` (`stream_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `live_streams` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`stream_key` text NOT NULL,
	`srt_secret` text NOT NULL,
	`srt_playback_secret` text NOT NULL,
	`max_resolution` text NOT NULL,
	`media_policy` text NOT NULL,
	`latency_mode` text NOT NULL,
	`reconnect_window_s` integer NOT NULL,
	`max_duration_s` integer NOT NULL,
	`enable_dvr_mode` integer NOT NULL,
	`enable_recording` integer NOT NULL,
	`metadata` text NOT NULL,
	`status` text NOT NULL,
	`audio_only` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`machine_seq` integer DEFAULT 0 NOT NULL,
	`swept_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `live_streams_in_workspace` ON `live_streams` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `live_streams_by_status` ON `live_streams` (`status`,`swept_at`);--> statement-breakpoint
CREATE TABLE `simulcast_targets` (
	`id` text PRIMARY KEY NOT NULL,
	`stream_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`url` text NOT NULL,
	`stream_key` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`metadata` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `simulcast_targets_of_stream` ON `simulcast_targets` (`stream_id`);--> statement-breakpoint
ALTER TABLE `assets` ADD `stream_id` text;--> statement-breakpoint
CREATE INDEX `assets_of_stream` ON `assets` (`stream_id`,`created_at`);