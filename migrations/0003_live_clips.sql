ALTER TABLE `assets` ADD `source_asset_id` text;--> statement-breakpoint
CREATE INDEX `assets_of_source` ON `assets` (`source_asset_id`,`created_at`);