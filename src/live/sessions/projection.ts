import type { IngestWarning } from "../../../protocol/ingest-warning.ts";
import type { Sequenced } from "../../platform/machine/outbox.ts";
import { type NewRecording, openRecording, policyOf } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import type { EventType } from "../../events/index.ts";
import { log } from "../../platform/log.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { changeStream } from "../streams/change-stream.ts";
import type { StreamStatus } from "../streams/moves.ts";
import { inheritedRules } from "../streams/inherited-rules.ts";
import { saveSession } from "../streams/repository.ts";
import type { SessionFacts } from "./session-facts.ts";
import { onSessionEnd } from "./session-end.ts";
import { streamEvent } from "../streams/stream-event.ts";

/** A move of the machine. The row's change and the event are one commit. */
export interface Moved {
  status: StreamStatus;
  audioOnly: boolean;
  /** Of the session. Absent: those of the row stay, as without a session, and in messages of earlier releases. */
  ingestWarnings?: IngestWarning[];
  atMs: number;
  /** Null = update the row only. */
  event: { id: string; type: EventType } | null;
  /** Reported with the event: rungs that the encoder has dropped. */
  droppedRungs?: string[];
}

/** The messages of a stream machine's outbox. */
export type StreamMessage =
  | { kind: "moved"; payload: Moved }
  | { kind: "session"; payload: SessionFacts }
  | { kind: "sessionEnded"; payload: { session: SessionFacts; eventId: string } }
  | { kind: "recording"; payload: NewRecording };

type Wake = () => Promise<void>;

/**
 * Writes a stream machine's messages to D1 in order, each move with its event and the record after it. Idempotent: a repeated message
 * changes nothing.
 *
 * @returns functions that wake the senders of the events
 */
export async function projectStream(env: Env, streamId: string, messages: Sequenced<StreamMessage>[]): Promise<Wake[]> {
  const wakes: Wake[] = [];
  for (const message of messages) {
    const wake = await project(env, streamId, message);
    if (wake !== null) wakes.push(wake);
  }
  return wakes;
}

async function project(env: Env, streamId: string, message: Sequenced<StreamMessage>): Promise<Wake | null> {
  switch (message.kind) {
    case "session":
      await writeSession(env, message.payload);
      return null;
    case "sessionEnded": {
      const { session, eventId } = message.payload;
      await writeSession(env, session);
      await onSessionEnd(env, session, eventId);
      return null;
    }
    case "recording": {
      const db = openDatabase(env.DB);
      const rules = await inheritedRules(db, streamId, policyOf(message.payload));
      const { statements, event } = openRecording(db, message.payload, rules);
      return (await commitWithEvents(env, statements, [{ event }])).wake;
    }
    case "moved":
      return await projectMove(env, streamId, message.payload, message.seq);
    default:
      throw new Error(`unknown outbox message: ${(message as { kind: string }).kind}`);
  }
}

function writeSession(env: Env, { startedAtMs, endedAtMs, ...rest }: SessionFacts): Promise<void> {
  const times = { startedAt: new Date(startedAtMs), endedAt: endedAtMs === null ? null : new Date(endedAtMs) };
  return saveSession(openDatabase(env.DB), { ...rest, ...times });
}

async function projectMove(env: Env, streamId: string, moved: Moved, seq: number): Promise<Wake | null> {
  const changed = await changeStream(env, { workspaceId: null, streamId }, (seen) => {
    if (seen.stream.machineSeq >= seq) return null; // repeated: the machine crashed before it deleted the message
    const { status, audioOnly, ingestWarnings, event } = moved;
    const at = new Date(moved.atMs);
    // A deleted stream keeps the status idle and gets a tombstone.
    const shown = status === "deleted" ? { status: "idle" as const, deletedAt: at } : { status };
    const warned = ingestWarnings === undefined ? {} : { ingestWarnings };
    const set = { ...shown, audioOnly, ...warned, updatedAt: at, machineSeq: seq };
    const record = { ...seen, stream: { ...seen.stream, ...set } };
    const { atMs, droppedRungs } = moved;
    return { set, event: event && streamEvent(event.type as never, record, { id: event.id, atMs }, droppedRungs) };
  });
  if (changed === null && moved.event !== null) log("event.not_told_again", { streamId, type: moved.event.type, seq });
  return changed?.committed.wake ?? null;
}
