-- Segments of clips that belong to other media count with these.
DROP TRIGGER `renditions_usage_inserted`;--> statement-breakpoint
DROP TRIGGER `renditions_usage_changed`;--> statement-breakpoint
DROP TRIGGER `renditions_usage_deleted`;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_inserted` AFTER INSERT ON `renditions` WHEN NEW.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(coalesce(json_extract(NEW.`segments`, '$.ownBytes'), NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes'))) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_changed` AFTER UPDATE OF `init_bytes`, `segments` ON `renditions` WHEN NEW.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(coalesce(json_extract(NEW.`segments`, '$.ownBytes'), NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes'))) AS INTEGER) - CAST(coalesce(json_extract(OLD.`segments`, '$.ownBytes'), OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes'))) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_deleted` AFTER DELETE ON `renditions` WHEN OLD.`origin` <> 'passthrough'
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` - CAST(coalesce(json_extract(OLD.`segments`, '$.ownBytes'), OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes'))) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = OLD.`asset_id`);
END;
