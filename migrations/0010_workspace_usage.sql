CREATE TABLE `workspace_usage` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`media_count` integer DEFAULT 0 NOT NULL,
	`stream_count` integer DEFAULT 0 NOT NULL,
	`stored_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
DROP INDEX `assets_in_workspace`;--> statement-breakpoint
CREATE INDEX `assets_in_workspace` ON `assets` (`workspace_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
INSERT INTO `workspace_usage` (`workspace_id`) SELECT `id` FROM `workspaces`;--> statement-breakpoint
INSERT INTO `workspace_usage` (`workspace_id`, `media_count`)
	SELECT `workspace_id`, count(*) FROM `assets` WHERE `deleted_at` IS NULL GROUP BY `workspace_id`
	ON CONFLICT DO UPDATE SET `media_count` = excluded.`media_count`;--> statement-breakpoint
INSERT INTO `workspace_usage` (`workspace_id`, `stream_count`)
	SELECT `workspace_id`, count(*) FROM `live_streams` WHERE `deleted_at` IS NULL GROUP BY `workspace_id`
	ON CONFLICT DO UPDATE SET `stream_count` = excluded.`stream_count`;--> statement-breakpoint
INSERT INTO `workspace_usage` (`workspace_id`, `stored_bytes`)
	SELECT `workspace_id`, CAST(sum(`init_bytes` + (SELECT total(`value`) FROM json_each(`segments`, '$.bytes'))) AS INTEGER)
	FROM `renditions` JOIN `assets` ON `assets`.`id` = `asset_id` WHERE true GROUP BY `workspace_id`
	ON CONFLICT DO UPDATE SET `stored_bytes` = excluded.`stored_bytes`;--> statement-breakpoint
CREATE TRIGGER `assets_usage_inserted` AFTER INSERT ON `assets` WHEN NEW.`deleted_at` IS NULL
BEGIN
	INSERT INTO `workspace_usage` (`workspace_id`, `media_count`) VALUES (NEW.`workspace_id`, 1)
	ON CONFLICT DO UPDATE SET `media_count` = `media_count` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `assets_usage_tombstoned` AFTER UPDATE OF `deleted_at` ON `assets` WHEN (OLD.`deleted_at` IS NULL) <> (NEW.`deleted_at` IS NULL)
BEGIN
	UPDATE `workspace_usage` SET `media_count` = `media_count` + iif(NEW.`deleted_at` IS NULL, 1, -1) WHERE `workspace_id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `assets_usage_deleted` AFTER DELETE ON `assets` WHEN OLD.`deleted_at` IS NULL
BEGIN
	UPDATE `workspace_usage` SET `media_count` = `media_count` - 1 WHERE `workspace_id` = OLD.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `live_streams_usage_inserted` AFTER INSERT ON `live_streams` WHEN NEW.`deleted_at` IS NULL
BEGIN
	INSERT INTO `workspace_usage` (`workspace_id`, `stream_count`) VALUES (NEW.`workspace_id`, 1)
	ON CONFLICT DO UPDATE SET `stream_count` = `stream_count` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `live_streams_usage_tombstoned` AFTER UPDATE OF `deleted_at` ON `live_streams` WHEN (OLD.`deleted_at` IS NULL) <> (NEW.`deleted_at` IS NULL)
BEGIN
	UPDATE `workspace_usage` SET `stream_count` = `stream_count` + iif(NEW.`deleted_at` IS NULL, 1, -1) WHERE `workspace_id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `live_streams_usage_deleted` AFTER DELETE ON `live_streams` WHEN OLD.`deleted_at` IS NULL
BEGIN
	UPDATE `workspace_usage` SET `stream_count` = `stream_count` - 1 WHERE `workspace_id` = OLD.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_inserted` AFTER INSERT ON `renditions`
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes')) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_changed` AFTER UPDATE OF `init_bytes`, `segments` ON `renditions`
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(NEW.`init_bytes` + (SELECT total(`value`) FROM json_each(NEW.`segments`, '$.bytes')) - (OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes'))) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = NEW.`asset_id`);
END;--> statement-breakpoint
CREATE TRIGGER `renditions_usage_deleted` AFTER DELETE ON `renditions`
BEGIN
	UPDATE `workspace_usage` SET `stored_bytes` = `stored_bytes` + CAST(-(OLD.`init_bytes` + (SELECT total(`value`) FROM json_each(OLD.`segments`, '$.bytes'))) AS INTEGER)
	WHERE `workspace_id` = (SELECT `workspace_id` FROM `assets` WHERE `id` = OLD.`asset_id`);
END;
