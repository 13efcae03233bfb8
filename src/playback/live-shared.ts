import type { Env } from "../platform/env.ts";
import { type LiveAddress, liveAddressPath } from "./live-address.ts";
import { type Caller, fetchLive } from "./origin.ts";
import { SingleFlight } from "./single-flight.ts";

/** An answer of the inner entrypoint as it is sent, and packed, once for all who ask for it. */
export interface SharedAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer> | null;
}

/** Whoever comes a moment later gets the same. */
const KEPT_MS = 1000;
const MAX_KEPT_BYTES = 256 << 10;
const MAX_KEPT = 64;
const LEAST_GZIP_BYTES = 200;

const answers = new SingleFlight<SharedAnswer>();

/** Playlists, MPDs and parts: what many viewers ask for in the same moment. */
export const isShared = (address: LiveAddress): boolean =>
  address.kind === "playlist" || address.kind === "mpd" || (address.kind === "media" && address.part !== null);

/** The answer is the same whenever it is asked for: a playlist that is waited for, and a part. */
const isLasting = (address: LiveAddress): boolean =>
  address.kind === "media" || (address.kind === "playlist" && address.directives.waitFor !== null);

/**
 * One question for all viewers of this isolate who ask for the same in one moment, besides what a cache in front of the inner entrypoint
 * collapses: five hundred requests become one, and one answer is packed.
 */
export const shareLive = (ctx: Caller, env: Env, address: LiveAddress): Promise<SharedAnswer> =>
  answers.share(
    liveAddressPath(address),
    ctx,
    async () => await read(await fetchLive(ctx, env, address), address.kind !== "media"),
    (answer) => (isLasting(address) ? keepMs(answer) : 0),
  );

/** Failures are not kept: the next one who asks tries again. Nor is more than an isolate has room for. */
const keepMs = ({ status, body }: SharedAnswer): number =>
  status === 200 && body.byteLength <= MAX_KEPT_BYTES && answers.size <= MAX_KEPT ? KEPT_MS : 0;

async function read(answer: Response, isText: boolean): Promise<SharedAnswer> {
  const body = new Uint8Array(await answer.arrayBuffer());
  const isWorthPacking = isText && answer.ok && body.byteLength > LEAST_GZIP_BYTES;
  return {
    status: answer.status,
    headers: new Headers(answer.headers),
    body,
    gzip: isWorthPacking ? await packed(body) : null,
  };
}

async function packed(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
