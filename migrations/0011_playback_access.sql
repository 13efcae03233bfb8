ALTER TABLE `playback_ids` ADD `access_restrictions` text;--> statement-breakpoint
ALTER TABLE `playback_ids` ADD `resolution` text;--> statement-breakpoint
ALTER TABLE `signing_keys` ADD `sealed_private_key` text;