CREATE TABLE `search_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_id` text NOT NULL,
	`asset_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `search_changes_of_workspace` ON `search_changes` (`workspace_id`,`seq`);--> statement-breakpoint
-- Search has the media that are listed: neither deleted nor waiting for their file.
CREATE TRIGGER `assets_search_inserted` AFTER INSERT ON `assets` WHEN NEW.`title` IS NOT NULL AND NEW.`deleted_at` IS NULL AND NEW.`status` <> 'waiting'
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`) VALUES (NEW.`workspace_id`, NEW.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `assets_search_changed` AFTER UPDATE OF `title`, `status`, `deleted_at` ON `assets`
WHEN NEW.`title` IS NOT OLD.`title`
	OR ((NEW.`deleted_at` IS NULL AND NEW.`status` <> 'waiting') <> (OLD.`deleted_at` IS NULL AND OLD.`status` <> 'waiting')
		AND (NEW.`title` IS NOT NULL OR EXISTS (SELECT 1 FROM `added_tracks` WHERE `asset_id` = NEW.`id` AND `kind` = 'subtitle')))
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`) VALUES (NEW.`workspace_id`, NEW.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `assets_search_deleted` AFTER DELETE ON `assets` WHEN OLD.`deleted_at` IS NULL AND OLD.`status` <> 'waiting'
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`) VALUES (OLD.`workspace_id`, OLD.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `tracks_search_inserted` AFTER INSERT ON `added_tracks` WHEN NEW.`kind` = 'subtitle' AND NEW.`status` = 'available'
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`)
	SELECT `workspace_id`, `id` FROM `assets` WHERE `id` = NEW.`asset_id` AND `deleted_at` IS NULL AND `status` <> 'waiting';
END;--> statement-breakpoint
CREATE TRIGGER `tracks_search_changed` AFTER UPDATE OF `status`, `captions` ON `added_tracks`
WHEN NEW.`kind` = 'subtitle' AND ((NEW.`status` = 'available') <> (OLD.`status` = 'available')
	OR (NEW.`status` = 'available' AND json_extract(NEW.`captions`, '$.version') IS NOT json_extract(OLD.`captions`, '$.version')))
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`)
	SELECT `workspace_id`, `id` FROM `assets` WHERE `id` = NEW.`asset_id` AND `deleted_at` IS NULL AND `status` <> 'waiting';
END;--> statement-breakpoint
CREATE TRIGGER `tracks_search_deleted` AFTER DELETE ON `added_tracks` WHEN OLD.`kind` = 'subtitle' AND OLD.`status` = 'available'
BEGIN
	INSERT INTO `search_changes` (`workspace_id`, `asset_id`)
	SELECT `workspace_id`, `id` FROM `assets` WHERE `id` = OLD.`asset_id` AND `deleted_at` IS NULL AND `status` <> 'waiting';
END;--> statement-breakpoint
-- What the workspaces had before: each index is made from D1 and R2.
INSERT INTO `search_changes` (`workspace_id`, `asset_id`) SELECT `workspace_id`, '' FROM `workspace_usage` WHERE `media_count` > 0;
