CREATE TABLE `shared_media` (
	`media_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`owner_id` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `shared_media_of_owner` ON `shared_media` (`owner_id`);--> statement-breakpoint
CREATE INDEX `shared_media_of_workspace` ON `shared_media` (`workspace_id`,`created_at`);