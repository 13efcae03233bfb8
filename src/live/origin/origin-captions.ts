import type { Cue } from "../../../protocol/media/captions/cue.ts";
import type { PartCaptions } from "../../../protocol/live.ts";
import { languageTag } from "../../media/languages.ts";
import { type CaptionChannel, joinCues, withoutRepeats } from "../../media/live/captions.ts";

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS captions (channel TEXT, msn INTEGER, last_part INTEGER NOT NULL, cues TEXT NOT NULL,
    stored INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (channel, msn)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS unstored_captions ON captions (msn) WHERE stored = 0",
];
const CHANNELS_KEY = "captions";
/** Captions of a segment, as JSON. Later parts of a segment beyond it are not shown. A row holds 2 MB. */
const MAX_LENGTH = 256 * 1024;
/** Segments whose captions stay in SQLite after the upload, for requests of their parts. */
const KEPT_SEGMENTS = 24;

/** The captions of a session: a row for each channel and segment that shows text. A channel that shows nothing has no rows. */
export class OriginCaptions {
  readonly #storage: DurableObjectStorage;
  #channels: CaptionChannel[];

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#channels = storage.kv.get<CaptionChannel[]>(CHANNELS_KEY) ?? [];
  }

  /** The channels for viewers. */
  get offered(): CaptionChannel[] {
    return withoutRepeats(this.#channels);
  }

  /** Whether the channel has shown text. */
  has = (channel: string): boolean => this.#channels.some(({ name }) => name === channel);

  /** Adds what is shown during a part. Every rung of the picture brings it; the first one counts. */
  add(msn: number, part: number, captions: PartCaptions): void {
    for (const { channel, language = "und", cues } of captions) {
      if (!this.has(channel)) this.#announce({ name: channel, languageCode: languageTag(language) });
      if (this.offered.some(({ name }) => name === channel)) this.#add(channel, msn, part, cues);
    }
  }

  #add(channel: string, msn: number, part: number, cues: Cue[]): void {
    const known = this.#row(channel, msn);
    if (known !== null && known.lastPart >= part) return;
    const joined = JSON.stringify(joinCues(known?.cues ?? [], cues));
    if (joined.length > MAX_LENGTH) return;
    this.#storage.sql.exec(
      `INSERT INTO captions (channel, msn, last_part, cues) VALUES (?, ?, ?, ?)
       ON CONFLICT (channel, msn) DO UPDATE SET last_part = excluded.last_part, cues = excluded.cues`,
      channel,
      msn,
      part,
      joined,
    );
  }

  #announce(channel: CaptionChannel): void {
    if (this.#channels.length === 0) for (const statement of SCHEMA) this.#storage.sql.exec(statement);
    this.#channels = [...this.#channels, channel].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#storage.kv.put(CHANNELS_KEY, this.#channels);
  }

  /** What the channel shows during a segment; `stored` = it is only in R2. */
  cues(channel: string, msn: number): Cue[] | "stored" {
    const row = this.has(channel) ? this.#row(channel, msn) : null;
    return row === null ? [] : (row.cues ?? "stored");
  }

  #row(channel: string, msn: number): { lastPart: number; cues: Cue[] | null } | null {
    const query = "SELECT last_part AS lastPart, cues FROM captions WHERE channel = ? AND msn = ?";
    const row = this.#storage.sql.exec<{ lastPart: number; cues: string }>(query, channel, msn).toArray()[0];
    return row === undefined ? null : { ...row, cues: row.cues === "" ? null : (JSON.parse(row.cues) as Cue[]) };
  }

  /** Segments with text that are not in R2 yet, oldest first. @param lastMsn the last complete segment */
  unstored(lastMsn: number, limit: number): { channel: string; msn: number }[] {
    if (this.#channels.length === 0) return [];
    const query = "SELECT channel, msn FROM captions WHERE stored = 0 AND msn <= ? ORDER BY msn LIMIT ?";
    return this.#storage.sql.exec<{ channel: string; msn: number }>(query, lastMsn, limit).toArray();
  }

  markStored(channel: string, msn: number): void {
    this.#storage.sql.exec("UPDATE captions SET stored = 1 WHERE channel = ? AND msn = ?", channel, msn);
    this.#storage.sql.exec(
      "UPDATE captions SET cues = '' WHERE channel = ? AND msn BETWEEN ? AND ? AND stored = 1 AND cues <> ''",
      channel,
      msn - 2 * KEPT_SEGMENTS,
      msn - KEPT_SEGMENTS,
    );
  }
}
