CREATE TABLE `alert_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`metric` text NOT NULL,
	`operator` text NOT NULL,
	`threshold_value` real NOT NULL,
	`min_views` integer NOT NULL,
	`severity` text NOT NULL,
	`cooldown_minutes` integer NOT NULL,
	`recovery_bucket_count` integer NOT NULL,
	`filters` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`status` text NOT NULL,
	`triggered_at_ms` integer,
	`healthy_buckets` integer NOT NULL,
	`evaluated_until_ms` integer NOT NULL,
	`last_views` integer,
	`last_value` real
);
--> statement-breakpoint
CREATE INDEX `alert_rules_in_workspace` ON `alert_rules` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `alert_rules_by_evaluation` ON `alert_rules` (`evaluated_until_ms`);