import { toHex } from "../../../protocol/hex.ts";

const hex32 = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** Ids of streams and simulcast targets: 32 lower-case hex digits (media contract, Identifiers). */
export const newHexId = hex32;
/** Ingest and SRT secrets name their stream: `<32 hex>k<streamId>`, 128 random bits. */
export const newStreamSecret = (streamId: string): string => `${hex32()}k${streamId}`;

/** The stream's id in a key; null when the text does not have the form of a key. */
export const streamIdOfKey = (key: string): string | null => /^[0-9a-f]{32}k([0-9a-f]{32})$/.exec(key)?.[1] ?? null;
