ALTER TABLE `assets` ADD `source_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `assets` ADD `picture_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `file_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `assets` SET `source_bytes` = (SELECT CAST(total(`init_bytes` + (SELECT total(`value`) FROM json_each(`segments`, '$.bytes'))) AS INTEGER)
	FROM `renditions` WHERE `asset_id` = `assets`.`id` AND `origin` = 'passthrough')
	WHERE `id` IN (SELECT `asset_id` FROM `renditions` WHERE `origin` = 'passthrough');--> statement-breakpoint
DROP TRIGGER `renditions_usage_inserted`;--> statement-breakpoint
DROP TRIGGER `renditions_usage_changed`;--> statement-breakpoint
DROP TRIGGER `renditions_usage_deleted`;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_inserted` AFTER INSERT ON `renditions` WHEN NEW.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes')) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_changed` AFTER UPDATE OF `init_bytes`, `segments` ON `renditions` WHEN NEW.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes')) AS INTEGER) - CAST(OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes')) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_deleted` AFTER DELETE ON `renditions` WHEN OLD.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` - CAST(OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes')) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = OLD.`asset_id`);
END;--> statement-breakpoint
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
