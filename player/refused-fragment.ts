import type { Fragment } from "hls.js";
import type HlsPlayer from "hls.js";
import { ErrorDetails, Events } from "hls.js";

/**
 * Finds the fragment whose append the browser refuses. hls.js reports that as an error of the source buffer, without the fragment, and then with the
 * one that it appends next.
 *
 * @returns the fragment refused since the last call; undefined = none
 */
export function refusedFragments(hls: HlsPlayer): () => Fragment | undefined {
  /** Appends begin in this order. */
  let pending: { type: string; frag: Fragment }[] = [];
  let refused: Fragment | undefined;
  hls.on(Events.BUFFER_APPENDING, (_event, { type, frag }) => pending.push({ type, frag }));
  hls.on(Events.BUFFER_APPENDED, (_event, { type }) => {
    const at = pending.findIndex((one) => one.type === type);
    if (at >= 0) pending.splice(at, 1);
  });
  hls.on(Events.MEDIA_DETACHED, () => (pending = []));
  hls.on(Events.ERROR, (_event, { details, sourceBufferName }) => {
    if (details !== ErrorDetails.BUFFER_APPENDING_ERROR) return;
    refused ??= pending.find(({ type, frag }) => type === sourceBufferName && typeof frag.sn === "number")?.frag;
  });
  return () => {
    const found = refused;
    refused = undefined;
    return found;
  };
}
