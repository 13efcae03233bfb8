import { VIEW_RETENTION_DAYS } from "../../platform/variables.ts";

const DAY_MS = 24 * 3600_000;

/** How often a store deletes expired views. */
export const SWEEP_EVERY_MS = DAY_MS;

/** Views can be asked for this long after their end, and are then deleted. */
export const retentionMs = (env: { VIEW_RETENTION_DAYS: string }): number =>
  Number(env.VIEW_RETENTION_DAYS || VIEW_RETENTION_DAYS.usual) * DAY_MS;
