import { commitWithEvents } from "../../events/webhooks/index.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { ViewRecord } from "../views/view-record.ts";
import type { ViewMessage, ViewComponents } from "./components.ts";
import { projectView } from "./project-view.ts";

/** Writes the final state of a view, and announces it if it played something of the workspace. Idempotent. */
export async function announceView(machine: ViewComponents, messages: ViewMessage[]): Promise<void> {
  for (const { payload } of messages) {
    if (machine.events.count === 0) continue; // announced by an earlier attempt
    const projected = await projectView(machine);
    if (projected === null) continue;
    const { view } = projected;
    const { viewId, workspaceId, viewHasError, fpPlaybackId } = view;
    log("view.ended", { viewId, workspaceId, hasError: viewHasError });
    if (fpPlaybackId !== null) {
      const { wake } = await commitWithEvents(
        machine.env,
        [],
        [{ event: viewEvent(view, fpPlaybackId, payload.eventId) }],
      );
      await wake();
    }
    machine.events.clear();
  }
}

function viewEvent(view: ViewRecord, playbackId: string, eventId: string) {
  const optional = {
    mediaId: view.mediaId,
    streamId: view.fpLiveStreamId,
    videoTitle: view.videoTitle,
    viewerId: view.viewerId ?? view.fpViewerId,
    operatingSystem: view.osName,
    application: view.browserName,
    country: view.country,
  };
  const data = {
    viewId: view.viewId,
    playbackId,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
    viewStartTime: toTimestamp(new Date(view.viewStartMs)),
    viewEndTime: toTimestamp(new Date(view.viewEndMs)),
    viewWatchTime: view.watchTime,
  };
  const outcome = view.viewHasError
    ? { errorCode: view.errorCode, errorMessage: view.errorMessage }
    : { QoeScore: view.qualityOfExperienceScore ?? undefined };
  return {
    id: eventId,
    workspaceId: view.workspaceId,
    type: view.viewHasError ? "playback.errored" : "playback.completed",
    objectId: view.viewId,
    occurredAtMs: view.updatedAtMs,
    data: { ...data, ...outcome },
  };
}
