import { callStore, monthOf } from "../store/store-calls.ts";
import { findContent } from "../views/find-content.ts";
import { mergeEvents } from "../views/merged-view.ts";
import type { PlayedContent } from "../views/played-content.ts";
import { playbackIdIn } from "../views/played-content.ts";
import { timelineOf } from "../views/view-event.ts";
import { type ViewRecord, viewRecordOf } from "../views/view-record.ts";
import type { ViewParts } from "./parts.ts";

/** Writes the view as it is now to the store of its month. Repeatable. @returns what was written */
export async function projectView(machine: ViewParts): Promise<ViewRecord> {
  const { documents, env, state } = machine;
  const { workspaceId, viewId, edge, insertedAtMs } = machine.facts;
  const events = machine.events.all();
  const merged = mergeEvents(events);
  const nowMs = machine.clock();
  const view = viewRecordOf(merged, {
    workspaceId,
    viewId,
    edge,
    content: await contentOf(machine, [merged.fields["video_source_url"], merged.fields["page_url"]]),
    isFinal: state.status === "final",
    insertedAtMs,
    updatedAtMs: nowMs,
  });
  const revision = (documents.get("revision") ?? 0) + 1;
  const [month, earlier] = [monthOf(view.viewEndMs), documents.get("month")];
  machine.commit(() => {
    documents.put("revision", revision);
    documents.put("projectedAtMs", nowMs);
    documents.put("month", month);
  });
  await callStore(env, { workspaceId, month }, "put", { view, timeline: timelineOf(events), revision });
  if (earlier !== undefined && earlier !== month)
    await callStore(env, { workspaceId, month: earlier }, "remove", { viewId });
  return view;
}

/** What the view plays. It is looked up once an address names it. */
async function contentOf({ documents, env, facts }: ViewParts, addresses: unknown[]): Promise<PlayedContent | null> {
  const known = documents.get("content");
  if (known !== undefined) return known.found;
  const playbackId = addresses.map(playbackIdIn).find((found) => found !== null);
  if (playbackId === undefined || playbackId === null) return null;
  const found = await findContent(env.DB, facts.workspaceId, playbackId);
  documents.put("content", { found });
  return found;
}
