/** The resumable protocol as six published clients speak it (media contract, resumable uploads: one column each). */
import { type call, someBytes } from "./upload-helpers.ts";

export type Send = typeof call;

/** Where a client continues after a 308. Null: it stops. */
type AfterMore = (answer: { storedTo: number | null; chunkEnd: number; offset: number }) => number | null;

export interface ClientKind {
  name: string;
  /** Asks for a session first; `Location` is where the chunks go. */
  starts: boolean;
  /** Asks what is stored before it continues. */
  probes: boolean;
  /** How it reads the stored range of an answer. */
  rangeOf: (headers: Headers) => string | null;
  afterMore: AfterMore;
  contentType: string;
  /** Statuses after which it sends the chunk again. It gives up at any other. */
  retriesOn: readonly number[];
}

/** A script of a browser sees the headers that are exposed to it. */
const inBrowser = (headers: Headers) =>
  /(^|, )Range(,|$)/.test(headers.get("access-control-expose-headers") ?? "") ? headers.get("range") : null;
const native = (headers: Headers) => headers.get("Range");
/** Continues after the last stored byte. */
const fromStored: AfterMore = ({ storedTo }) => (storedTo === null ? 0 : storedTo + 1);
const WEB = [408, 429, 500, 502, 503, 504];

export const CLIENTS: ClientKind[] = [
  {
    name: "web 1.0.3",
    starts: true,
    probes: false,
    rangeOf: inBrowser,
    // Without a range, the chunk counts as stored. A short range: the same chunk again.
    afterMore: ({ storedTo, chunkEnd, offset }) =>
      storedTo === null ? chunkEnd : storedTo + 1 < chunkEnd ? offset : storedTo + 1,
    contentType: "video/mp4",
    retriesOn: WEB,
  },
  {
    name: "web 1.0.5",
    starts: false,
    probes: true,
    rangeOf: inBrowser,
    afterMore: ({ storedTo, chunkEnd }) => (storedTo === null ? chunkEnd : storedTo + 1),
    contentType: "video/mp4",
    retriesOn: WEB,
  },
  {
    name: "iOS",
    starts: false,
    probes: false,
    rangeOf: native,
    afterMore: ({ storedTo, chunkEnd, offset }) => {
      if (storedTo === null || storedTo + 1 < chunkEnd) return offset;
      return storedTo + 1 === chunkEnd ? chunkEnd : null;
    },
    contentType: "mp4",
    retriesOn: [408, 429, 501, 502, 503],
  },
  {
    name: "Android",
    starts: false,
    probes: true,
    rangeOf: native,
    afterMore: fromStored,
    contentType: "application/octet-stream",
    retriesOn: WEB,
  },
  {
    name: "Flutter",
    starts: false,
    probes: true,
    rangeOf: native,
    afterMore: fromStored,
    contentType: "application/octet-stream",
    retriesOn: WEB,
  },
  {
    name: "React Native",
    starts: false,
    probes: true,
    rangeOf: () => null,
    afterMore: ({ chunkEnd }) => chunkEnd,
    contentType: "video/mp4",
    retriesOn: [401, 403, ...WEB],
  },
];

export interface Sent {
  /** The last status; `lost` = the client has stopped. */
  outcome: number | "stopped";
  statuses: number[];
}

const MAX_REQUESTS = 60;

/**
 * Sends a file as this client does, from `offset` on.
 *
 * @param send a request whose answer is null gets lost on the way back
 */
export async function upload(
  kind: ClientKind,
  url: string,
  file: Uint8Array<ArrayBuffer>,
  {
    chunkBytes,
    offset: from = 0,
    send,
  }: {
    chunkBytes: number;
    offset?: number;
    send: (...request: Parameters<Send>) => Promise<Response | null>;
  },
): Promise<Sent> {
  const statuses: number[] = [];
  let target = url;
  if (kind.starts) {
    const started = await send("POST", url, { "x-goog-resumable": "start", "content-type": kind.contentType });
    if (started?.status !== 201) throw new Error(`start: ${started?.status}`);
    target = started.headers.get("location")!;
  }
  const total = file.byteLength;
  const ask = async (): Promise<number> => {
    const answer = await send("PUT", target, { "content-range": `bytes */${total}`, "x-goog-resumable": "true" });
    if (answer === null) return 0;
    statuses.push(answer.status);
    if (answer.status === 200) return total;
    const stored = storedTo(kind.rangeOf(answer.headers));
    return stored === null ? 0 : stored + 1;
  };
  let offset = from;
  if (kind.probes) offset = await ask();
  for (let requests = 0; offset < total; requests += 1) {
    if (requests > MAX_REQUESTS) throw new Error(`${kind.name} sends for ever: ${statuses.join(" ")}`);
    const chunkEnd = Math.min(offset + chunkBytes, total);
    const headers = { "content-range": `bytes ${offset}-${chunkEnd - 1}/${total}`, "content-type": kind.contentType };
    const answer = await send("PUT", target, headers, file.slice(offset, chunkEnd));
    if (answer === null || kind.retriesOn.includes(answer.status)) {
      if (answer !== null) statuses.push(answer.status);
      if (kind.probes) offset = await ask();
      continue;
    }
    statuses.push(answer.status);
    if (answer.status === 200 || answer.status === 201) return { outcome: answer.status, statuses };
    if (answer.status !== 308) return { outcome: answer.status, statuses };
    const next = kind.afterMore({ storedTo: storedTo(kind.rangeOf(answer.headers)), chunkEnd, offset });
    if (next === null) return { outcome: "stopped", statuses };
    offset = next;
  }
  return { outcome: statuses.at(-1) ?? 0, statuses };
}

const storedTo = (range: string | null): number | null => {
  const last = /^bytes=0-(\d+)$/.exec(range ?? "")?.[1];
  return last === undefined ? null : Number(last);
};

export const A_FILE = someBytes(300_003);
