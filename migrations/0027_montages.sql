ALTER TABLE `assets` ADD `montage` text;--> statement-breakpoint
ALTER TABLE `added_tracks` ADD `follows_edit` integer DEFAULT false NOT NULL;