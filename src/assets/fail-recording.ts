import type { Env } from "../env.ts";
import { RECORDING_EMPTY } from "./asset-error.ts";
import { erroredFacts } from "./asset-facts.ts";
import { type AssetMessage, projectAsset } from "./projection.ts";

/** The media of a broadcast that left nothing to record has failed; said twice it stays as it was. */
export async function failRecording(
  env: Env,
  { mediaId, eventId, atMs }: { mediaId: string; eventId: string; atMs: number },
): Promise<void> {
  const messages: AssetMessage[] = [
    { kind: "facts", payload: erroredFacts(RECORDING_EMPTY) },
    { kind: "event", payload: { id: eventId, type: "asset.errored", occurredAtMs: atMs } },
  ];
  await projectAsset(
    env,
    mediaId,
    messages.map((message, seq) => ({ ...message, seq })),
    new Date(atMs),
  );
}
