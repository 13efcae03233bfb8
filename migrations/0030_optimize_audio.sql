ALTER TABLE `assets` ADD `optimize_audio` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `assets` ADD `loudness` text;