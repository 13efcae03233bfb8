/** Every table, for drizzle-kit and for the database handle. */
export * from "./assets/tables.ts";
export * from "./events/tables.ts";
export * from "./workspaces/tables.ts";
export * from "./http/tables.ts";
export * from "./webhooks/tables.ts";
export * from "./live/tables.ts";
