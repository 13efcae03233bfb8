import type { Env } from "../../platform/env.ts";

/** Ingest addresses without a key; null = the protocol is not available. */
export interface IngestBases {
  rtmpUrl: string | null;
  rtmpsUrl: string | null;
  srtUrl: string | null;
}

/** For each protocol, the address of the newest live gateway that has one, else the deployment's. Pure. */
export function chooseBases(
  living: IngestBases[],
  env: Partial<Pick<Env, "INGEST_RTMP_URL" | "INGEST_RTMPS_URL" | "INGEST_SRT_URL">>,
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

/** Complete addresses for encoders. HTTP broadcasts are received by the Worker. Pure. */
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
