ALTER TABLE `assets` ADD `source_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `assets` ADD `picture_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `file_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `assets_usage_bytes_changed` AFTER UPDATE OF `source_bytes`, `picture_bytes` ON `assets`
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + NEW.`source_bytes` + NEW.`picture_bytes` - OLD.`source_bytes` - OLD.`picture_bytes`
	WHERE `workspace_id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `uploads_usage_bytes_changed` AFTER UPDATE OF `file_bytes`, `status` ON `uploads`
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + iif(NEW.`status` = 'waiting', NEW.`file_bytes`, 0) - iif(OLD.`status` = 'waiting', OLD.`file_bytes`, 0)
	WHERE `workspace_id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `uploads_usage_bytes_deleted` AFTER DELETE ON `uploads` WHEN OLD.`status` = 'waiting'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` - OLD.`file_bytes` WHERE `workspace_id` = OLD.`workspace_id`;
END;
