CREATE TABLE `insights` (
	`asset_id` text NOT NULL,
	`kind` text NOT NULL,
	`workspace_id` text NOT NULL,
	`request_id` text NOT NULL,
	`status` text NOT NULL,
	`order` text NOT NULL,
	`percent` integer DEFAULT 0 NOT NULL,
	`result` text,
	`made_by` text,
	`error_code` text,
	`error_message` text,
	`error_fault` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `insights_preparing` ON `insights` (`created_at`) WHERE status = 'preparing';--> statement-breakpoint
ALTER TABLE `ai_settings` ADD `new_media` text DEFAULT '{}' NOT NULL;