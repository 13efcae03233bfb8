/** Every table, for drizzle-kit. */
export * from "./analytics/alerts/tables.ts";
export * from "./analytics/exports/tables.ts";
export * from "./library/assets/tables.ts";
export * from "./library/clips/tables.ts";
export * from "./library/playlists/tables.ts";
export * from "./library/tracks/store/tables.ts";
export * from "./library/uploads/tables.ts";
export * from "./events/tables.ts";
export * from "./tenancy/access/tables.ts";
export * from "./tenancy/drm/tables.ts";
export * from "./tenancy/limits/tables.ts";
export * from "./tenancy/signing-keys/tables.ts";
export * from "./tenancy/workspaces/tables.ts";
export * from "./platform/http/tables.ts";
export * from "./events/request-log/tables.ts";
export * from "./events/webhooks/records/tables.ts";
export * from "./live/streams/tables.ts";
