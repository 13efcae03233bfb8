DROP INDEX `assets_unstarted`;--> statement-breakpoint
CREATE INDEX `assets_processing` ON `assets` (`status`,`stream_id`) WHERE status = 'processing' AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `assets_unpurged` ON `assets` (`deleted_at`) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_age` ON `idempotency_keys` (`created_at`);