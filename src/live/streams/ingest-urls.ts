import type { Env } from "../../platform/env.ts";

/** Where broadcasters come in, without a key; null = not there. */
export interface IngestBases {
  rtmpUrl: string | null;
  rtmpsUrl: string | null;
  srtUrl: string | null;
}

/** The addresses of the newest gateway that lives and has one, else the deployment's. Pure. */
export function chooseBases(
  living: IngestBases[],
  env: Pick<Env, "INGEST_RTMP_URL" | "INGEST_RTMPS_URL" | "INGEST_SRT_URL">,
): IngestBases {
  const of = (name: keyof IngestBases) => living.find((gateway) => gateway[name] !== null)?.[name];
  return {
    rtmpUrl: of("rtmpUrl") ?? (env.INGEST_RTMP_URL || null),
    rtmpsUrl: of("rtmpsUrl") ?? (env.INGEST_RTMPS_URL || null),
    srtUrl: of("srtUrl") ?? (env.INGEST_SRT_URL || null),
  };
}

export interface IngestUrls {
  rtmp?: string;
  rtmps?: string;
  srt?: string;
  http: string;
}

/** Addresses to be copied into an encoder as they are. HTTP comes in at the Worker. Pure. */
export function ingestUrls(
  { rtmpUrl, rtmpsUrl, srtUrl }: IngestBases,
  { streamKey, srtSecret }: { streamKey: string; srtSecret: string },
  publicUrl: string,
): IngestUrls {
  const under = (base: string) => `${base.replace(/\/+$/, "")}/${streamKey}`;
  return {
    ...(rtmpUrl === null ? {} : { rtmp: under(rtmpUrl) }),
    ...(rtmpsUrl === null ? {} : { rtmps: under(rtmpsUrl) }),
    ...(srtUrl === null
      ? {}
      : { srt: `${srtUrl}${srtUrl.includes("?") ? "&" : "?"}streamid=${streamKey}&passphrase=${srtSecret}` }),
    http: `${publicUrl.replace(/\/+$/, "")}/ingest/${streamKey}`,
  };
}
