import type { ContentKey } from "./content-key.ts";

const BLOCK_BYTES = 16;

/** Which blocks of a protected run are encrypted: `encrypted` blocks, then `skipped` ones, and so on (ISO/IEC 23001-7 §9.6). */
export interface Pattern {
  encrypted: number;
  skipped: number;
}

/** Pattern of video under `cbcs` (§10.4.2): a tenth of the blocks is encrypted. */
export const VIDEO_PATTERN: Pattern = { encrypted: 1, skipped: 9 };
/** For all other tracks: every whole block. */
export const WHOLE_PATTERN: Pattern = { encrypted: 1, skipped: 0 };

/** A run of bytes in a buffer. */
export interface Run {
  offset: number;
  length: number;
}

/** Encrypts protected runs of a buffer in place. Each run starts with the initialization vector anew. */
export type Encrypt = (bytes: Uint8Array, runs: Run[], pattern: Pattern) => Promise<void>;

export async function encryptorOf({ key, iv }: ContentKey): Promise<Encrypt> {
  const algorithm = { name: "AES-CBC", iv };
  const imported = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt"]);
  return async (bytes, runs, pattern) => {
    await Promise.all(
      runs.map(async ({ offset, length }) => {
        const blocks = gather(bytes, offset, length, pattern);
        if (blocks.length === 0) return;
        // WebCrypto appends a block of padding, which no later block depends on.
        const encrypted = new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, blocks));
        scatter(bytes, offset, encrypted.subarray(0, blocks.length), pattern);
      }),
    );
  };
}

/** The blocks of a run that the pattern selects, joined. An incomplete last block stays clear. */
function gather(bytes: Uint8Array, offset: number, length: number, pattern: Pattern): Uint8Array<ArrayBuffer> {
  const whole = Math.floor(length / BLOCK_BYTES);
  if (pattern.skipped === 0) return bytes.slice(offset, offset + whole * BLOCK_BYTES);
  const period = pattern.encrypted + pattern.skipped;
  const count = Math.floor(whole / period) * pattern.encrypted + Math.min(whole % period, pattern.encrypted);
  const blocks = new Uint8Array(count * BLOCK_BYTES);
  forEachRun(count, pattern, (at, from, size) => blocks.set(bytes.subarray(offset + from, offset + from + size), at));
  return blocks;
}

function scatter(bytes: Uint8Array, offset: number, blocks: Uint8Array, pattern: Pattern): void {
  forEachRun(blocks.length / BLOCK_BYTES, pattern, (at, to, size) =>
    bytes.set(blocks.subarray(at, at + size), offset + to),
  );
}

/** @param visit given the position among the joined blocks, the position in the run, and the size, in bytes */
function forEachRun(
  count: number,
  { encrypted, skipped }: Pattern,
  visit: (at: number, inRun: number, size: number) => void,
): void {
  if (skipped === 0) return visit(0, 0, count * BLOCK_BYTES);
  for (let block = 0, inRun = 0; block < count; block += encrypted, inRun += encrypted + skipped) {
    const size = Math.min(encrypted, count - block);
    visit(block * BLOCK_BYTES, inRun * BLOCK_BYTES, size * BLOCK_BYTES);
  }
}
