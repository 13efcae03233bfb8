import { eventually } from "../../../support/live-watch.ts";
import type { SharedPlatform } from "../../../support/platform.ts";

/** The record of a view, as far as tests and benches read it. */
export interface RecordedView {
  viewId: string;
  isFinal: boolean;
  watchTime: number;
  videoStartupTime: number;
  viewSeekedCount: number;
  viewSeekedDuration: number;
  bufferCount: number;
  bufferFill: number;
  viewHasError: boolean;
  errorCode: string | null;
  mediaId: string;
  browserName: string;
  averageBitrate: number;
  events: { e: string }[];
}

/** Each play gets its own, by which its view is found. */
export async function newPlaybackId(platform: SharedPlatform, assetId: string): Promise<string> {
  const path = `/v1/on-demand/${assetId}/playback-ids`;
  return (await platform.api<{ id: string }>("POST", path, { accessPolicy: "public" })).body.data.id;
}

/** The view of this playback ID, once its row shows this event. */
export async function recordedView(platform: SharedPlatform, playbackId: string, event: string): Promise<RecordedView> {
  const list = `/v1/data/viewlist?filterby[]=fp_playback_id:${playbackId}`;
  return await eventually(`a view with ${event}`, async () => {
    const [item] = (await platform.api<{ viewId: string }[]>("GET", list)).body.data;
    if (item === undefined) return null;
    const view = (await platform.api<RecordedView>("GET", `/v1/data/viewlist/${item.viewId}`)).body.data;
    return view.events.some(({ e }) => e === event) ? view : null;
  });
}
