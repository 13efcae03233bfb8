import type { Env } from "../../../platform/env.ts";
import { type NewEvent, redactSecrets } from "../../index.ts";
import { logError } from "../../../platform/log.ts";
import { open, seal } from "../../../platform/crypto/sealing.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";

/** The event as it is stored: its data with the secrets redacted, and the original data sealed. @throws {Problem} unavailable */
export async function redactEvent(env: Env, event: NewEvent): Promise<NewEvent> {
  const data = JSON.stringify(event.data);
  const redacted = redactSecrets(data);
  if (redacted === data) return event;
  const sealedData = await withKeys(env, (keys) => seal(keys, event.id, data));
  return { ...event, data: JSON.parse(redacted), sealedData };
}

/** The original data of a redacted event. Null when nothing was redacted, or when its key is no longer configured. */
export async function openEventData(
  env: Env,
  { eventId, sealedData }: { eventId: string; sealedData?: string | null },
): Promise<string | null> {
  if (!sealedData) return null;
  try {
    return await open(env.WEBHOOK_KEYS, eventId, sealedData);
  } catch (error) {
    logError("event.data_not_opened", { eventId, error: String(error) }); // its key was removed from WEBHOOK_KEYS
    return null;
  }
}
