CREATE TABLE `__new_playback_ids` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text DEFAULT 'asset' NOT NULL,
	`target_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`access_policy` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_playback_ids`("id", "kind", "target_id", "workspace_id", "access_policy", "created_at") SELECT "id", 'asset', "asset_id", "workspace_id", "access_policy", "created_at" FROM `playback_ids`;--> statement-breakpoint
INSERT INTO `__new_playback_ids`("id", "kind", "target_id", "workspace_id", "access_policy", "created_at") SELECT "id", 'stream', "stream_id", "workspace_id", "access_policy", "created_at" FROM `live_playback_ids`;--> statement-breakpoint
DROP TABLE `playback_ids`;--> statement-breakpoint
DROP TABLE `live_playback_ids`;--> statement-breakpoint
ALTER TABLE `__new_playback_ids` RENAME TO `playback_ids`;--> statement-breakpoint
CREATE INDEX `playback_ids_of_target` ON `playback_ids` (`target_id`);
