import type { Cue } from "../../../../protocol/media/captions/cue.ts";
import type { PartCaptions } from "../../../../protocol/live.ts";
import { languageTag } from "../../../media/languages.ts";
import { type CaptionChannel, cutAtParts, joinCues, withoutRepeats } from "../../../media/live/captions.ts";
import { logWarning } from "../../../platform/log.ts";
import type { CaptionPage, SegmentRange } from "../recorded/recorded-session.ts";

const SCHEMA = `CREATE TABLE IF NOT EXISTS captions (channel TEXT, msn INTEGER, last_part INTEGER NOT NULL, cues TEXT NOT NULL,
  PRIMARY KEY (channel, msn)) WITHOUT ROWID`;
/** Releases before 2026-11-25 moved the cues of older segments to R2. Sessions that were on air then have such rows. */
const IS_KEPT = "cues <> ''";
const CHANNELS_KEY = "captions";
const LISTED_KEY = "captionsListed";
const BYTES_KEY = "captionsBytes";
/** Captions of a segment, as JSON. Later parts of a segment beyond it are not shown. A row holds 2 MB. */
const MAX_LENGTH = 256 * 1024;
/** Captions of a session, as JSON: a week of roll-up captions, which change five times a second. A database holds 10 GB. */
const MAX_SESSION_BYTES = 768 << 20;
/** Bound of a page for a recording, which is a message of an RPC. */
const PAGE_LENGTH = 4 << 20;

/**
 * The captions of a session: a row for each channel and segment that shows text. A channel that shows nothing has no rows. They stay as long as
 * the session's index: for viewers, and for the recording.
 */
export class OriginCaptions {
  readonly #storage: DurableObjectStorage;
  #channels: CaptionChannel[];
  /** Channels that viewers have been offered, also those that are left out by now: players that chose one follow it to the end of the broadcast. */
  readonly #hasListed: Set<string>;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#channels = storage.kv.get<CaptionChannel[]>(CHANNELS_KEY) ?? [];
    const listed = storage.kv.get<string[]>(LISTED_KEY) ?? this.offered.map(({ name }) => name);
    this.#hasListed = new Set(listed);
  }

  /** The channels for viewers. */
  get offered(): CaptionChannel[] {
    return withoutRepeats(this.#channels);
  }

  /** Whether the channel has shown text. */
  has = (channel: string): boolean => this.#channels.some(({ name }) => name === channel);

  /** Adds what is shown during a part. Every rung of the picture brings it; the first one counts. */
  add(msn: number, part: number, captions: PartCaptions): void {
    const isNew = captions.some(({ channel }) => !this.has(channel));
    if (isNew) this.#announce(captions);
    for (const { channel, cues } of captions) if (this.#hasListed.has(channel)) this.#add(channel, msn, part, cues);
  }

  #add(channel: string, msn: number, part: number, cues: Cue[]): void {
    const known = this.#row(channel, msn);
    if (known !== null && known.lastPart >= part) return;
    const joined = JSON.stringify(joinCues(known?.cues ?? [], cues));
    this.#put(channel, msn, part, known, joined);
  }

  /**
   * Cuts the captions of a segment that is complete as those of its parts are, for good: the edges of parts are kept near the live edge only.
   *
   * @param edgesMs of the segment's parts, on the session's timeline
   */
  cut(msn: number, edgesMs: readonly number[]): void {
    for (const channel of this.#hasListed) {
      const known = this.#row(channel, msn);
      const text = JSON.stringify(cutAtParts(known?.cues ?? [], edgesMs));
      if (known !== null && text !== JSON.stringify(known.cues)) this.#put(channel, msn, known.lastPart, known, text);
    }
  }

  #put(channel: string, msn: number, lastPart: number, known: { bytes: number } | null, cues: string): void {
    if (cues.length > MAX_LENGTH || !this.#takeRoom(bytesOf(cues) - (known?.bytes ?? 0))) return;
    this.#storage.sql.exec(
      `INSERT INTO captions (channel, msn, last_part, cues) VALUES (?, ?, ?, ?)
       ON CONFLICT (channel, msn) DO UPDATE SET last_part = excluded.last_part, cues = excluded.cues`,
      channel,
      msn,
      lastPart,
      cues,
    );
  }

  /** @returns false when the session has no room for more captions */
  #takeRoom(bytes: number): boolean {
    const before = this.#storage.kv.get<number>(BYTES_KEY) ?? 0;
    if (before + bytes > MAX_SESSION_BYTES) {
      if (before < MAX_SESSION_BYTES) logWarning("live.captions_full", { bytes: before });
      this.#storage.kv.put(BYTES_KEY, MAX_SESSION_BYTES); // nothing is added any more, and the log has one entry
      return false;
    }
    this.#storage.kv.put(BYTES_KEY, before + bytes);
    return true;
  }

  #announce(captions: PartCaptions): void {
    if (this.#channels.length === 0) this.#storage.sql.exec(SCHEMA);
    for (const { channel, language = "und", isSubtitle } of captions) {
      const labels = { languageCode: languageTag(language), ...(isSubtitle === true ? { isSubtitle } : {}) };
      if (!this.has(channel)) this.#channels = [...this.#channels, { name: channel, ...labels }];
    }
    this.#channels = this.#channels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of this.offered) this.#hasListed.add(name);
    this.#storage.kv.put(CHANNELS_KEY, this.#channels);
    this.#storage.kv.put(LISTED_KEY, [...this.#hasListed]);
  }

  /** What the channel shows during a segment. */
  cues(channel: string, msn: number): Cue[] {
    return this.has(channel) ? (this.#row(channel, msn)?.cues ?? []) : [];
  }

  #row(channel: string, msn: number): { lastPart: number; bytes: number; cues: Cue[] } | null {
    const query = `SELECT last_part AS lastPart, cues FROM captions WHERE channel = ? AND msn = ? AND ${IS_KEPT}`;
    const row = this.#storage.sql.exec<{ lastPart: number; cues: string }>(query, channel, msn).toArray()[0];
    return row === undefined
      ? null
      : { lastPart: row.lastPart, bytes: bytesOf(row.cues), cues: JSON.parse(row.cues) as Cue[] };
  }

  /** The segments of a range in which the channel shows text, as many as fit into a page. */
  page(channel: string, { first, last }: SegmentRange): CaptionPage {
    const segments: CaptionPage["segments"] = [];
    if (!this.has(channel)) return { segments, nextMsn: null };
    const query = `SELECT msn, cues FROM captions WHERE channel = ? AND msn BETWEEN ? AND ? AND ${IS_KEPT} ORDER BY msn`;
    let length = 0;
    for (const { msn, cues } of this.#storage.sql.exec<{ msn: number; cues: string }>(query, channel, first, last)) {
      length += cues.length;
      if (length > PAGE_LENGTH && segments.length > 0) return { segments, nextMsn: msn };
      segments.push({ msn, cues: JSON.parse(cues) as Cue[] });
    }
    return { segments, nextMsn: null };
  }
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
