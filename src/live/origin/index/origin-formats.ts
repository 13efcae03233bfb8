import type { MediaFormat } from "../../../../protocol/init-facts.ts";
import { isSameFormat } from "../../../media/manifest/formats.ts";
import type { LiveFormat, OriginSession } from "../../../media/live/origin-facts.ts";

/**
 * Changes of format that are kept for each rendition: as many as fit into the row of a recording beside its longest list of segments. Older
 * media then has the oldest format that is kept.
 */
const MAX_FORMATS = 256;

const keyOf = (rendition: string): string => `formats ${rendition}`;

/** The formats of a session's renditions, by the versions of their init segments. A version without an entry has the format of the one before. */
export class OriginFormats {
  readonly #kv: SyncKvStorage;
  readonly #known = new Map<string, readonly LiveFormat[]>();

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** In ascending order; empty before the rendition's first init segment. */
  of(rendition: string): readonly LiveFormat[] {
    const known = this.#known.get(rendition) ?? this.#kv.get<LiveFormat[]>(keyOf(rendition)) ?? [];
    this.#known.set(rendition, known);
    return known;
  }

  /** Adds the format of a version. Versions rise: each run of the session's encoders has a new one. */
  add(rendition: string, format: LiveFormat): void {
    const known = this.of(rendition);
    const last = known.at(-1);
    if (last !== undefined && (format.version <= last.version || isSame(last, format))) return;
    const kept = [...known, format].slice(-MAX_FORMATS);
    this.#known.set(rendition, kept);
    this.#kv.put(keyOf(rendition), kept);
  }
}

const isSame = (one: LiveFormat, other: LiveFormat): boolean =>
  isSameFormat(one, other) && one.bitrateBps === other.bitrateBps;

/**
 * The format of a version as its gateway reports it, or else as the session's last `started` does.
 *
 * @param reported null = the gateway does not report formats
 */
export function liveFormat(
  { renditions, started }: OriginSession,
  name: string,
  version: number,
  reported: MediaFormat | null = null,
): LiveFormat {
  const facts = started?.renditions.find((one) => one.name === name) ?? renditions.find((one) => one.name === name);
  const { kind, codec = "", widthPx = null, heightPx = null, bitrateBps = 0 } = facts ?? {};
  const frameRate = kind === "video" ? started?.video?.frameRate || null : null;
  const format = reported ?? { codec, widthPx, heightPx, frameRate };
  return { ...format, frameRate: format.frameRate ?? frameRate, version, bitrateBps };
}
