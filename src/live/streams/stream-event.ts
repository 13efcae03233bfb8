import type { EventData, EventType, NewEvent } from "../../events/index.ts";
import type { SimulcastTarget, StreamRecord } from "./repository.ts";
import { toStream, toTarget } from "./to-stream.ts";

type StreamEventType = Extract<EventType, `${"video." | ""}live_stream.${string}`>;
export type StreamEvent = NewEvent;

/** An event about a stream, with its record at commit time (media contract, data of live events). */
export function streamEvent(
  type: StreamEventType,
  record: StreamRecord,
  { id, atMs }: { id: string; atMs: number },
  droppedRungs?: string[],
): StreamEvent {
  const { stream, targets, mediaIds } = record;
  const data: EventData<"video.live_stream.created"> = {
    ...toStream(record),
    audioOnly: stream.audioOnly,
    simulcastResponses: targets.map(toTarget),
    mediaIds,
    ...(droppedRungs === undefined ? {} : { droppedRungs }),
  };
  return { id, workspaceId: stream.workspaceId, type, objectId: stream.id, occurredAtMs: atMs, data };
}

export function targetEvent(
  type: Extract<StreamEventType, `video.live_stream.simulcast_target.${string}`>,
  target: SimulcastTarget,
  atMs: number,
  id: string = crypto.randomUUID(),
): StreamEvent {
  const data: EventData<"video.live_stream.simulcast_target.created"> = {
    ...toTarget(target),
    streamId: target.streamId,
  };
  return {
    id,
    workspaceId: target.workspaceId,
    type,
    objectId: target.streamId,
    occurredAtMs: atMs,
    data,
  };
}
