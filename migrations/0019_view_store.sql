ALTER TABLE `workspaces` ADD `view_store` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `view_store_progress` text;