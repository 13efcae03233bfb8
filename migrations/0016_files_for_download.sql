ALTER TABLE `assets` ADD `mp4_support` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `source_access` integer DEFAULT false NOT NULL;