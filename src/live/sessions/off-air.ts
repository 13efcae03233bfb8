import { type SQL, sql } from "drizzle-orm";
import { assets } from "../../library/assets/index.ts";
import { PLAYS_ON_MS } from "../streams/after-end.ts";
import { liveSessions } from "../streams/tables.ts";

/** SQL condition on `assets`: no viewer plays the asset's objects as a live broadcast. */
export const isOffAir = (nowMs: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${liveSessions} AS session WHERE session.id = ${assets.id} AND (session.ended_at IS NULL OR session.ended_at > ${nowMs - PLAYS_ON_MS}))`;
