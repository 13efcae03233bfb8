DROP INDEX `assets_in_workspace`;--> statement-breakpoint
CREATE INDEX `assets_in_workspace` ON `assets` (`workspace_id`,`created_at`,`id`) WHERE deleted_at IS NULL AND status <> 'waiting';--> statement-breakpoint
DROP TRIGGER `assets_usage_inserted`;--> statement-breakpoint
DROP TRIGGER `assets_usage_tombstoned`;--> statement-breakpoint
DROP TRIGGER `assets_usage_deleted`;--> statement-breakpoint
CREATE TRIGGER `assets_usage_inserted` AFTER INSERT ON `assets` WHEN NEW.`deleted_at` IS NULL AND NEW.`status` <> 'waiting'
BEGIN
	INSERT INTO `workspace_usage` (`workspace_id`, `media_count`) VALUES (NEW.`workspace_id`, 1)
	ON CONFLICT DO UPDATE SET `media_count` = `media_count` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `assets_usage_changed` AFTER UPDATE OF `deleted_at`, `status` ON `assets`
WHEN (OLD.`deleted_at` IS NULL AND OLD.`status` <> 'waiting') <> (NEW.`deleted_at` IS NULL AND NEW.`status` <> 'waiting')
BEGIN
	INSERT INTO `workspace_usage` (`workspace_id`, `media_count`) VALUES (NEW.`workspace_id`, 1)
	ON CONFLICT DO UPDATE SET `media_count` = `media_count` + iif(NEW.`deleted_at` IS NULL AND NEW.`status` <> 'waiting', 1, -1);
END;--> statement-breakpoint
CREATE TRIGGER `assets_usage_deleted` AFTER DELETE ON `assets` WHEN OLD.`deleted_at` IS NULL AND OLD.`status` <> 'waiting'
BEGIN
	UPDATE `workspace_usage` SET `media_count` = `media_count` - 1 WHERE `workspace_id` = OLD.`workspace_id`;
END;
