PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_ingest_gateways` (
	`id` text PRIMARY KEY NOT NULL,
	`rtmp_url` text,
	`rtmps_url` text,
	`srt_url` text,
	`http_url` text,
	`started_at` integer NOT NULL,
	`heard_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_ingest_gateways`("id", "rtmp_url", "rtmps_url", "srt_url", "http_url", "started_at", "heard_at") SELECT "id", "rtmp_url", "rtmps_url", "srt_url", "http_url", "started_at", "heard_at" FROM `ingest_gateways`;--> statement-breakpoint
DROP TABLE `ingest_gateways`;--> statement-breakpoint
ALTER TABLE `__new_ingest_gateways` RENAME TO `ingest_gateways`;--> statement-breakpoint
PRAGMA foreign_keys=ON;