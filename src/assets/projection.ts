import { and, eq } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { OutboxMessage } from "../../durable-objects/machine.ts";
import type { Database } from "../database.ts";
import { insertEvent, type NewEvent } from "../events/index.ts";
import { assets, renditions, tracks } from "./tables.ts";

/** Without times: messages are kept as JSON. */
export type AssetFacts = Partial<
  Omit<typeof assets.$inferInsert, "createdAt" | "updatedAt" | "startedAt" | "deletedAt" | "purgedAt">
>;
export type NewTrack = typeof tracks.$inferInsert;
export type NewRendition = typeof renditions.$inferInsert;

/** What an asset machine's outbox holds. */
export type AssetMessage =
  | { kind: "facts"; payload: AssetFacts }
  | { kind: "started"; payload: { atMs: number } }
  | { kind: "tracks"; payload: NewTrack[] }
  | { kind: "renditions"; payload: NewRendition[] }
  /** The source itself stays in the manifests, as the top rung. */
  | { kind: "keepPassthrough"; payload: Record<string, never> }
  | { kind: "event"; payload: NewEvent };

/** Writes an asset machine's messages to D1, all in one batch. Every statement may be repeated without a trace. */
export async function projectAsset(db: Database, assetId: string, messages: OutboxMessage[], now: Date): Promise<void> {
  const statements = messages.flatMap((message) => toStatements(db, assetId, message as unknown as AssetMessage, now));
  const [first, ...rest] = statements;
  if (first !== undefined) await db.batch([first, ...rest]);
}

function toStatements(db: Database, assetId: string, message: AssetMessage, now: Date): BatchItem<"sqlite">[] {
  switch (message.kind) {
    case "facts":
      return [
        db
          .update(assets)
          .set({ ...message.payload, updatedAt: now })
          .where(eq(assets.id, assetId)),
      ];
    case "started":
      return [
        db
          .update(assets)
          .set({ startedAt: new Date(message.payload.atMs), updatedAt: now })
          .where(eq(assets.id, assetId)),
      ];
    case "tracks":
      return message.payload.map((track) => db.insert(tracks).values(track).onConflictDoNothing());
    case "renditions":
      return message.payload.map((rendition) =>
        db
          .insert(renditions)
          .values(rendition)
          .onConflictDoUpdate({ target: [renditions.assetId, renditions.name], set: rendition }),
      );
    case "keepPassthrough":
      return [
        db
          .update(renditions)
          .set({ isTopRung: true })
          .where(
            and(eq(renditions.assetId, assetId), eq(renditions.origin, "passthrough"), eq(renditions.kind, "video")),
          ),
      ];
    case "event":
      return [insertEvent(db, message.payload)];
  }
}
