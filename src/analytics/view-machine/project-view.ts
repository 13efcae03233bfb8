import { monthOf } from "../store/months.ts";
import { viewStore } from "../store/store-calls.ts";
import { boundRecord } from "../views/bounded-record.ts";
import { findContent } from "../views/find-content.ts";
import { mergeEvents } from "../views/merged-view.ts";
import type { PlayedContent } from "../views/played-content.ts";
import { playbackIdIn } from "../views/played-content.ts";
import { eventsUntil, playedOutAtMs } from "../views/played-out.ts";
import { shortTimeline } from "../views/short-timeline.ts";
import { timelineOf } from "../views/view-event.ts";
import { type ViewRecord, viewRecordOf } from "../views/view-record.ts";
import { watchedRanges } from "../views/watched-ranges.ts";
import { forgetView } from "./forget-view.ts";
import type { ViewComponents } from "./components.ts";

export interface Projected {
  view: ViewRecord;
  /** The player still reports, although the view is over. */
  isPlayedOut: boolean;
}

/** Writes the current view to the store of its month. Repeatable. @returns the written state; null = the view is forgotten, or the store is full */
export async function projectView(machine: ViewComponents): Promise<Projected | null> {
  const { documents, env, state } = machine;
  const isForgotten = () => state.status === "forgotten";
  const { workspaceId, viewId, edge, insertedAtMs } = machine.facts;
  const reported = machine.events.all();
  const asReported = mergeEvents(reported);
  const { fields } = asReported;
  const content = await contentOf(machine, [fields["video_source_url"], fields["page_url"]]);
  if (isForgotten()) return null;
  const events = eventsUntil(reported, playedOutAtMs(reported, content?.found?.durationMs ?? null));
  const isPlayedOut = events !== reported;
  const merged = isPlayedOut ? mergeEvents(events) : asReported;
  const nowMs = machine.clock();
  const record = viewRecordOf(merged, {
    workspaceId,
    viewId,
    edge,
    content: content?.found ?? null,
    isFinal: state.status === "final",
    insertedAtMs,
    updatedAtMs: nowMs,
  });
  const view = boundRecord(record);
  const { month: earlier, revision: last } = machine.projection;
  const [month, revision] = [monthOf(view.viewEndMs), last + 1];
  machine.commit(() => {
    if (content !== null && documents.get("content") === undefined) documents.put("content", content);
    documents.put("projection", { month, revision, atMs: nowMs });
  });
  const timeline = timelineOf(events);
  const put = await viewStore(env, { workspaceId, month }).put({
    view,
    timeline: shortTimeline(timeline),
    watched: watchedRanges(timeline), // from all events: the positions of those that are left out count too
    revision,
  });
  if (put !== "stored") forgetView(machine); // a view that the store has no room for is not kept here either
  if (earlier !== null && earlier !== month) await viewStore(env, { workspaceId, month: earlier }).remove(viewId);
  return isForgotten() ? null : { view, isPlayedOut };
}

/** Looks up the played content once. @returns null = no URL has named it yet */
async function contentOf(
  { documents, env, facts }: ViewComponents,
  addresses: unknown[],
): Promise<{ found: PlayedContent | null } | null> {
  const known = documents.get("content");
  if (known !== undefined) return known;
  const playbackId = addresses.map(playbackIdIn).find((found) => found !== null);
  if (playbackId === undefined || playbackId === null) return null;
  return { found: await findContent(env.DB, facts.workspaceId, playbackId) };
}
