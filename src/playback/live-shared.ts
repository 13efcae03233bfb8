import type { Env } from "../platform/env.ts";
import { type LiveAddress, liveAddressPath } from "./live-address.ts";
import { type RequestContext, fetchLive } from "./origin.ts";
import { SingleFlight } from "../platform/single-flight.ts";

/** A response of the inner entrypoint, also compressed, shared by all viewers who request it. */
export interface SharedAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer> | null;
}

/** How long a lasting answer is reused after it arrived. */
const KEPT_MS = 1000;
const MAX_KEPT_BYTES = 256 << 10;
const MAX_KEPT = 64;
const LEAST_GZIP_BYTES = 200;

const answers = new SingleFlight<SharedAnswer>();

/** Playlists, MPDs, captions and parts: many viewers request them at the same moment. */
export const isShared = (address: LiveAddress): boolean =>
  address.kind === "playlist" ||
  address.kind === "mpd" ||
  address.kind === "text" ||
  (address.kind === "media" && address.part !== null);

/** Answers that do not change over time: blocking playlist requests, captions and parts. */
const isLasting = (address: LiveAddress): boolean =>
  address.kind === "media" ||
  address.kind === "text" ||
  (address.kind === "playlist" && address.directives.waitFor !== null);

/**
 * Sends one request for all viewers of this isolate who want the same resource at the same moment, and compresses the answer once. This
 * adds to the collapsing of a cache in front of the inner entrypoint.
 */
export const shareLive = (ctx: RequestContext, env: Env, address: LiveAddress): Promise<SharedAnswer> =>
  answers.share(
    liveAddressPath(address),
    ctx,
    async () => await read(await fetchLive(ctx, env, address), address.kind !== "media"),
    (answer) => (isLasting(address) ? keepMs(answer) : 0),
  );

/** Failures are not kept, so the next request tries again. Size and number are bounded by the isolate's memory. */
const keepMs = ({ status, body }: SharedAnswer): number =>
  status === 200 && body.byteLength <= MAX_KEPT_BYTES && answers.size <= MAX_KEPT ? KEPT_MS : 0;

async function read(answer: Response, isText: boolean): Promise<SharedAnswer> {
  const body = new Uint8Array(await answer.arrayBuffer());
  const isCompressible = isText && answer.ok && body.byteLength > LEAST_GZIP_BYTES;
  return {
    status: answer.status,
    headers: new Headers(answer.headers),
    body,
    gzip: isCompressible ? await compress(body) : null,
  };
}

async function compress(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
