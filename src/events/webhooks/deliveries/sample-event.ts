import { SAMPLE, SAMPLE_OBJECT_IDS } from "../../catalogue/samples.ts";
import { CATALOGUE, type EventType } from "../../index.ts";

/** The catalogue's example, about a new object id in the caller's workspace. */
export function sampleOf(type: EventType, workspaceId: string): { type: EventType; objectId: string; data: unknown } {
  const { objectType, example } = CATALOGUE[type];
  const id = crypto.randomUUID();
  const objectId = objectType === "live" ? id.replaceAll("-", "") : id;
  const text = JSON.stringify(example)
    .replaceAll(SAMPLE_OBJECT_IDS[objectType], objectId)
    .replaceAll(SAMPLE.workspaceId, workspaceId);
  return { type, objectId, data: JSON.parse(text) };
}
