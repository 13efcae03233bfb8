CREATE TABLE `view_exports` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `view_exports_in_workspace` ON `view_exports` (`workspace_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `view_exports_by_expiry` ON `view_exports` (`expires_at`);