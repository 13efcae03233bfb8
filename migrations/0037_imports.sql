CREATE TABLE `import_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`name` text,
	`account` text,
	`account_name` text,
	`sealed` text NOT NULL,
	`fields` text NOT NULL,
	`ending` text,
	`keep` integer NOT NULL,
	`created_at` integer NOT NULL,
	`checked_at` integer,
	`last_check` text
);
--> statement-breakpoint
CREATE INDEX `import_credentials_in_workspace` ON `import_credentials` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `import_credentials_by_key` ON `import_credentials` (`sealed`);--> statement-breakpoint
CREATE TABLE `import_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`public_url` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `import_hosts_in_workspace` ON `import_hosts` (`workspace_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `import_lists` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`state` text NOT NULL,
	`format` text NOT NULL,
	`rows` integer NOT NULL,
	`pages` integer NOT NULL,
	`errors_total` integer NOT NULL,
	`errors` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `import_lists_in_workspace` ON `import_lists` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `import_lists_by_use` ON `import_lists` (`used_at`);--> statement-breakpoint
CREATE INDEX `import_lists_receiving` ON `import_lists` (`created_at`) WHERE state = 'receiving';--> statement-breakpoint
CREATE TABLE `import_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`request` text NOT NULL,
	`state` text NOT NULL,
	`counts` text NOT NULL,
	`problem` text,
	`credential_id` text,
	`status_webhook_id` text,
	`started_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `import_batches_in_workspace` ON `import_batches` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `import_batches_ended` ON `import_batches` (`completed_at`);--> statement-breakpoint
CREATE INDEX `import_batches_open` ON `import_batches` (`state`,`updated_at`) WHERE completed_at IS NULL;--> statement-breakpoint
CREATE TABLE `imported_videos` (
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`account` text NOT NULL,
	`source_id` text NOT NULL,
	`media_id` text NOT NULL,
	`playback_id` text NOT NULL,
	`batch_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `source`, `account`, `source_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imported_videos_of_media` ON `imported_videos` (`media_id`);--> statement-breakpoint
CREATE INDEX `imported_videos_of_batch` ON `imported_videos` (`batch_id`);--> statement-breakpoint
CREATE TABLE `migrated_playback_ids` (
	`workspace_id` text NOT NULL,
	`source` text NOT NULL,
	`old_playback_id` text NOT NULL,
	`playback_id` text NOT NULL,
	`media_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `source`, `old_playback_id`)
);
--> statement-breakpoint
CREATE INDEX `migrated_playback_ids_of_media` ON `migrated_playback_ids` (`media_id`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `object_id` text;--> statement-breakpoint
CREATE INDEX `webhooks_of_object` ON `webhooks` (`object_id`) WHERE object_id IS NOT NULL;--> statement-breakpoint
-- A deleted media may be migrated again, and its old playback IDs lead nowhere.
CREATE TRIGGER `forget_import` AFTER UPDATE OF `deleted_at` ON `assets` WHEN NEW.`deleted_at` IS NOT NULL AND OLD.`deleted_at` IS NULL
BEGIN
	DELETE FROM `imported_videos` WHERE `media_id` = NEW.`id`;
	DELETE FROM `migrated_playback_ids` WHERE `media_id` = NEW.`id`;
END;
