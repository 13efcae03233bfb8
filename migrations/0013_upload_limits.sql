ALTER TABLE `workspace_usage` ADD `upload_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `uploads_over` ON `uploads` (`created_at`) WHERE status <> 'waiting';--> statement-breakpoint
INSERT INTO `workspace_usage` (`workspace_id`, `upload_count`)
	SELECT `workspace_id`, count(*) FROM `uploads` WHERE `status` = 'waiting' GROUP BY `workspace_id`
	ON CONFLICT DO UPDATE SET `upload_count` = excluded.`upload_count`;--> statement-breakpoint
CREATE TRIGGER `uploads_usage_inserted` AFTER INSERT ON `uploads` WHEN NEW.`status` = 'waiting'
BEGIN
	INSERT INTO `workspace_usage` (`workspace_id`, `upload_count`) VALUES (NEW.`workspace_id`, 1)
	ON CONFLICT DO UPDATE SET `upload_count` = `upload_count` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `uploads_usage_settled` AFTER UPDATE OF `status` ON `uploads` WHEN (OLD.`status` = 'waiting') <> (NEW.`status` = 'waiting')
BEGIN
	UPDATE `workspace_usage` SET `upload_count` = `upload_count` + iif(NEW.`status` = 'waiting', 1, -1) WHERE `workspace_id` = NEW.`workspace_id`;
END;--> statement-breakpoint
CREATE TRIGGER `uploads_usage_deleted` AFTER DELETE ON `uploads` WHEN OLD.`status` = 'waiting'
BEGIN
	UPDATE `workspace_usage` SET `upload_count` = `upload_count` - 1 WHERE `workspace_id` = OLD.`workspace_id`;
END;
