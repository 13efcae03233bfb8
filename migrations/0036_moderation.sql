CREATE TABLE `playback_holds` (
	`target_id` text NOT NULL,
	`cause_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`target_id`, `cause_id`)
);
--> statement-breakpoint
CREATE INDEX `playback_holds_of_cause` ON `playback_holds` (`cause_id`);--> statement-breakpoint
ALTER TABLE `ai_settings` ADD `moderation_threshold` real DEFAULT 0.5 NOT NULL;--> statement-breakpoint
-- What is cut from a media that moderation holds is held, too. `holdIf` does the same for what was cut before.
CREATE TRIGGER `hold_clip` AFTER INSERT ON `assets` WHEN NEW.`source_asset_id` IS NOT NULL
BEGIN
	INSERT OR IGNORE INTO `playback_holds` (`target_id`, `cause_id`, `created_at`)
	SELECT NEW.`id`, `cause_id`, NEW.`created_at` FROM `playback_holds` WHERE `target_id` = NEW.`source_asset_id`;
END;
