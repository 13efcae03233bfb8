import { eq } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { USUAL_THRESHOLD } from "../moderation/index.ts";
import { aiSettings } from "./tables.ts";

export type AiSettings = Pick<typeof aiSettings.$inferSelect, "vocabulary" | "newMedia" | "moderationThreshold">;

const USUAL: AiSettings = { vocabulary: [], newMedia: {}, moderationThreshold: USUAL_THRESHOLD };

export async function settingsOf(db: Database, workspaceId: string): Promise<AiSettings> {
  const [row] = await db.select().from(aiSettings).where(eq(aiSettings.workspaceId, workspaceId));
  return row ?? USUAL;
}

export const changeSettings = (db: Database, workspaceId: string, settings: AiSettings, now: Date) =>
  db
    .insert(aiSettings)
    .values({ workspaceId, ...settings, updatedAt: now })
    .onConflictDoUpdate({ target: aiSettings.workspaceId, set: { ...settings, updatedAt: now } });
