import type { StoredState } from "../state.ts";

/** The rows in D1 after a soak. */
export interface StoredSoak {
  events: StoredEvent[];
  deliveries: StoredDelivery[];
  attempts: StoredAttempt[];
}
export interface StoredEvent {
  id: string;
  type: string;
  videoType: string;
  objectId: string;
  createdAt: string;
  body: string;
}
export interface StoredDelivery {
  eventId: string;
  webhookId: string;
  naming: "service" | "video";
  status: string;
  attempts: number;
  lastFailure: string | null;
}
export interface StoredAttempt {
  eventId: string;
  webhookId: string;
  number: number;
  startedAtMs: number;
  durationMs: number;
  status: number | null;
  failure: string | null;
}

export const readStored = async (state: StoredState): Promise<StoredSoak> => ({
  events: await state.rows(
    "SELECT id, type, video_type AS videoType, object_id AS objectId, created_at AS createdAt, body FROM events ORDER BY rowid",
  ),
  deliveries: await state.rows(
    `SELECT event_id AS eventId, webhook_id AS webhookId, naming, status, attempts, last_failure AS lastFailure FROM deliveries`,
  ),
  attempts: await state.rows(
    `SELECT event_id AS eventId, webhook_id AS webhookId, number, started_at AS startedAtMs, duration_ms AS durationMs, status, failure
     FROM delivery_attempts ORDER BY event_id, webhook_id, number`,
  ),
});
