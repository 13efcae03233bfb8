/** What the conformance suite of sources needs to know of each of them, and what its parts share. */
import type { SourceDefinition } from "../../../src/imports/sources/definition.ts";
import {
  SourceFailure,
  type ListedVideo,
  type Resolution,
  type Selection,
  type Source,
} from "../../../src/imports/sources/source.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import type { StandIn } from "../../support/imports/stand-in.ts";
import { bytesClip, type StandInVideo } from "../../support/imports/stand-in-library.ts";

export interface SourceUnderTest<Options, Credentials> {
  definition: SourceDefinition<Options, Credentials>;
  options: Options;
  /** Starts a stand-in without videos whose lists have at most this many a page. */
  makeStandIn(given: { pageSize: number }): Promise<StandIn>;
  good: Credentials;
  wrong: Credentials;
  /** Valid credentials that lack something, and the name of what they lack; null = this source has no such thing. */
  half: { credentials: Credentials; permission: RegExp; isRequired: boolean } | null;
  /** Texts that no message may contain: the secret parts of the credentials above. */
  secrets: readonly string[];
  /** Of `GET /path`, as `on` of a fault has it: the call for a page of the list. */
  listCall: RegExp;
  /** Of `METHOD /path`: a call that `resolve` makes for every video; null = it makes none. */
  resolveCall: RegExp | null;
  /** A field of the list without which a video cannot be known; null = its list is not JSON. */
  necessaryField: string | null;
  /** What the list says of each video. */
  keeps: readonly ("title" | "createdAt" | "durationMs" | "dimensions" | "creatorId")[];
  policies: readonly StandInVideo["policy"][];
  /** Whether the file must be waited for. */
  waits: boolean;
  hasCaptions: boolean;
}

export interface Opened {
  standIn: StandIn;
  source: Source;
}

export const PAGE_SIZE = 4;
/** More would be a list without an end. */
const MOST_PAGES = 60;
const MOST_POLLS = 20;

/** The bytes of every video of the suite. */
export const CLIP_BYTES = Uint8Array.from({ length: 5000 }, (_, index) => (index * 31) % 251);
export const CLIP = bytesClip(CLIP_BYTES);

export function openSource<O, C>(under: SourceUnderTest<O, C>, standIn: StandIn, credentials: C): Source {
  const { definition, options } = under;
  return definition.open({ options, credentials, nowMs: Date.now }, plainHttp(standIn.url + definition.basePath));
}

/** Reads a list to its end; the cursor goes through JSON as the batch stores it. */
export async function listAll(
  source: Source,
  selection: Selection = {},
): Promise<{ videos: ListedVideo[]; pages: number }> {
  const videos: ListedVideo[] = [];
  let cursor: string | null = null;
  for (let pages = 1; pages <= MOST_PAGES; pages++) {
    const page = await source.listPage(cursor, selection);
    videos.push(...page.videos);
    if (page.next === null) return { videos, pages };
    cursor = JSON.parse(JSON.stringify(page.next)) as string;
  }
  throw new Error(`the list has more than ${MOST_PAGES} pages`);
}

export async function firstListed(source: Source): Promise<ListedVideo> {
  const { videos } = await listAll(source);
  const first = videos[0];
  if (first === undefined) throw new Error("the list is empty");
  return first;
}

/** Asks until the file is there, without waiting: stand-ins count the calls. State goes through JSON. */
export async function resolved(
  source: Source,
  video: ListedVideo,
): Promise<{
  resolution: Extract<Resolution, { status: "ready" }>;
  waits: number[];
  state: Record<string, unknown> | null;
}> {
  const waits: number[] = [];
  let state: Record<string, unknown> | null = null;
  while (waits.length < MOST_POLLS) {
    const resolution = await source.resolve(video, state);
    if (resolution.status === "ready") return { resolution, waits, state };
    waits.push(resolution.retryAfterMs);
    state = JSON.parse(JSON.stringify(resolution.state)) as Record<string, unknown>;
  }
  throw new Error(`the file of ${video.id} is not ready after ${MOST_POLLS} calls`);
}

/** @throws if the promise does not fail in the way of sources */
export async function failureOf(promise: Promise<unknown>): Promise<SourceFailure> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw new Error("failed, but not with a SourceFailure", { cause: error });
  }
  throw new Error(`expected a SourceFailure, but there was ${JSON.stringify(value)}`);
}

/** Of errors, all that a log would show. */
export function wordsOf(error: Error): string {
  const cause = error.cause instanceof Error ? wordsOf(error.cause) : JSON.stringify(error.cause ?? null);
  return `${error.message} ${JSON.stringify(error)} ${cause}`;
}
