import { commitWithEvents } from "../../events/webhooks/index.ts";
import { hasSpareRoom } from "../../platform/database-room.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { monthOf } from "../store/months.ts";
import { viewStore } from "../store/store-calls.ts";
import type { ViewRecord } from "../views/view-record.ts";
import type { ViewMessage, ViewComponents } from "./components.ts";
import { projectView } from "./project-view.ts";

/** Texts come from a player, which is not authenticated, and events are kept in the one database. */
const MAX_TEXT_LENGTH = 255;

/** Writes the final state of a view, and announces it if it played something of the workspace, or failed to. Idempotent. */
export async function announceView(machine: ViewComponents, messages: ViewMessage[]): Promise<void> {
  for (const { payload } of messages) {
    if (machine.events.count === 0) continue; // announced by an earlier attempt
    const projected = await projectView(machine);
    if (projected === null) continue;
    const { view } = projected;
    const { viewId, workspaceId, viewHasError, fpPlaybackId } = view;
    log("view.ended", { viewId, workspaceId, hasError: viewHasError });
    if (fpPlaybackId !== null && !view.exitBeforeVideoStart && (await mayAnnounce(machine, workspaceId))) {
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

/** Anybody can report views, so their events are bounded. What is beyond a bound is counted with what was refused of reports. */
async function mayAnnounce({ env, documents, clock }: ViewComponents, workspaceId: string): Promise<boolean> {
  if (documents.get("eventPlace") === true) return true; // taken by an attempt that did not come to its end
  const nowMs = clock();
  const store = viewStore(env, { workspaceId, month: monthOf(nowMs) });
  if (!(await hasSpareRoom(env.DB))) {
    await store.addRefusals({ database_full: 1 }, nowMs);
    return false;
  }
  const hasPlace = await store.takeEventPlace(nowMs);
  if (hasPlace) documents.put("eventPlace", true);
  return hasPlace;
}

function viewEvent(view: ViewRecord, playbackId: string, eventId: string) {
  const optional = {
    mediaId: view.mediaId,
    streamId: view.fpLiveStreamId,
    videoTitle: short(view.videoTitle),
    viewerId: short(view.viewerId ?? view.fpViewerId),
    operatingSystem: short(view.osName),
    application: short(view.browserName),
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
    ? { errorCode: short(view.errorCode), errorMessage: short(view.errorMessage) }
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

const short = (text: string | null): string | null => text?.slice(0, MAX_TEXT_LENGTH) ?? null;
