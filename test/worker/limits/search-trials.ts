/** The bounds of search, each at its bound and one above it. */
import { env } from "cloudflare:test";
import { findHits, type Hits } from "../../../src/ai/search/find-hits.ts";
import { takeOver } from "../../../src/ai/search/take-over.ts";
import { captionsKey } from "../../../src/platform/storage/keys.ts";
import { TAKEN, upTo } from "../../support/limits/trials.ts";
import { pathOf, withIndex } from "../ai/search/search-helpers.ts";
import { newWorkspace } from "../workspace.ts";
import { ours, verdictOf } from "./api-trials.ts";

const query = async (length: number): Promise<string> =>
  verdictOf(await (await ours()).request("GET", pathOf("q".repeat(length))));

/** @param count of captions that have the word */
async function hitsOf(count: number, limit: number): Promise<Hits> {
  return await withIndex(await newWorkspace(), ({ index }) => {
    const cues = Array.from({ length: count }, (_, n) => ({ startMs: n, endMs: n + 1, text: "word" }));
    index.put({ mediaId: "m", trackId: "t", version: 1, mediaCreatedMs: 0 }, cues, 0);
    return findHits(index.run, { match: '"word"', after: null, limit });
  });
}

const hits = async (count: number): Promise<string> => ((await hitsOf(count, 1)).isPartial ? "partial" : TAKEN);
const newestHits = async (count: number): Promise<string> =>
  (await hitsOf(10_001, 2000)).hits[count - 1] === undefined ? "not found" : TAKEN;

/** Takes over a track of one caption or more, and says whether all were indexed. @param state that the index has before */
async function taken(captions: number, state: { cues?: number; bytes?: number }): Promise<string> {
  const [mediaId, trackId] = [crypto.randomUUID(), crypto.randomUUID()];
  const cue = (n: number) => `${timeOf(n)} --> ${timeOf(n + 1)}\nword\n\n`;
  const vtt = `WEBVTT\n\n${Array.from({ length: captions }, (_, n) => cue(n)).join("")}`;
  await env.MEDIA.put(captionsKey(mediaId, trackId, "whole.vtt"), vtt);
  return await withIndex(await newWorkspace(), async (components) => {
    const { index } = components;
    const { cues: before = 0, bytes = 0 } = state;
    Object.defineProperty(index, "bytes", { value: bytes, configurable: true });
    Object.defineProperty(index, "totals", { value: { cues: before, leftOut: 0 }, configurable: true });
    const tracks = [{ id: trackId, version: 1, folder: "" }];
    await takeOver(components, { mediaId, createdMs: 0, title: null, tracks });
    for (const name of ["bytes", "totals"]) Reflect.deleteProperty(index, name);
    const { cues, leftOut } = index.totals;
    if (cues + leftOut !== captions) throw new Error(`${cues} were taken and ${leftOut} left out of ${captions}`);
    return leftOut === 0 ? TAKEN : "counted";
  });
}

const timeOf = (seconds: number): string => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.000`;
};

export const SEARCH_TRIALS = {
  "search-query": upTo(query),
  "search-hits": upTo(hits),
  "search-newest-hits": upTo(newestHits),
  "search-track-captions": upTo((captions) => taken(captions, {})),
  "search-captions": upTo((captions) => taken(1, { cues: captions - 1 })),
  "search-bytes": upTo((bytes) => taken(1, { bytes })),
};
