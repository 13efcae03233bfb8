import type { Env } from "../../platform/env.ts";
import { type AssetError, RECORDING_EMPTY } from "./asset-error.ts";
import { erroredFacts } from "./asset-facts.ts";
import { type AssetMessage, projectAsset } from "./projection.ts";

/** Marks the recording of an empty broadcast, or a clip that could not be cut, as errored. Idempotent. */
export async function failRecording(
  env: Env,
  { mediaId, eventId, atMs }: { mediaId: string; eventId: string; atMs: number },
  error: AssetError = RECORDING_EMPTY,
): Promise<void> {
  const messages: AssetMessage[] = [
    { kind: "facts", payload: erroredFacts(error) },
    { kind: "event", payload: { id: eventId, type: "asset.errored", occurredAtMs: atMs } },
  ];
  await projectAsset(
    env,
    mediaId,
    messages.map((message, seq) => ({ ...message, seq })),
    new Date(atMs),
  );
}
