/** The facts of a live init segment and their form in the query of its PUT (`InitQuery` of live.ts): one codec for gateway and Worker. */
import type { z } from "zod";
import type { InitQuery } from "./live.ts";

/** What players need to know of the media that an init segment belongs to. */
export interface MediaFormat {
  codec: string; // RFC 6381
  /** Null without a picture. */
  widthPx: number | null;
  heightPx: number | null;
  /** Frames per second; null = unknown, or no picture. */
  frameRate: number | null;
}

export function queryOfInit({ codec, widthPx, heightPx, frameRate }: MediaFormat): URLSearchParams {
  const sizes = Object.entries({ widthPx, heightPx, frameRate } satisfies Omit<MediaFormat, "codec">);
  const known = sizes.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return new URLSearchParams([["codec", codec], ...known] as [string, string][]);
}

/** @returns null when the gateway does not send them */
export function formatOfInit(query: z.output<typeof InitQuery>): MediaFormat | null {
  const { codec, widthPx = null, heightPx = null, frameRate = null } = query;
  return codec === undefined ? null : { codec, widthPx, heightPx, frameRate };
}
