ALTER TABLE `events` ADD `sealed_data` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `event_secrets` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `live_streams` ADD `secrets` text;--> statement-breakpoint
ALTER TABLE `simulcast_targets` ADD `sealed_key` text;