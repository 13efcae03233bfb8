/**
 * Protocol between ingest gateway and Worker. Both sides import this file, so it depends on little but zod. Times are milliseconds unless
 * the name says otherwise.
 *
 * With `Authorization: Bearer {credential}` of the gateway (gateway-credential.ts):
 *   POST /internal/ingest/register    Register → {}                       every 10 s; a gateway expires after 30 s without one
 *   POST /internal/ingest/passphrase  AskPassphrase → PassphraseAnswer    SRT only, during the handshake: the required passphrase
 *   POST /internal/ingest/authorize   Authorize → AuthorizeAnswer         before any media is decoded
 *
 * Below `callbackUrl` ({origin}/internal/live/{sessionId}), with `Authorization: Bearer {token}` of that authorization:
 *   POST …/started    Started → {}                  facts of the broadcast; sent again after every reconnect
 *   POST …/heartbeat  Heartbeat → HeartbeatAnswer   every second; `silent` while no media arrives: after 5 s without a non-silent one,
 *                     another broadcaster may take over; until then a non-silent heartbeat continues the session.
 *                     After one with `hasDisconnected` it may take over at once
 *   POST …/ended      Ended → {}                    the broadcaster has disconnected; starts the reconnect window
 *   POST …/resume     Opening → Resume              where media continues after a reconnect, a timestamp jump or an encoder crash;
 *                     closes unfinished segments, and fills the time without media when the new media has the same format
 *   GET  …/targets    → SimulcastTargets            current simulcast targets
 *   POST …/target     TargetState → {}              state change of one target
 *   PUT  …/init/{rendition}/{version}?InitQuery     an init segment → {}
 *   PUT  …/parts/{rendition}/{msn}/{part}?PartQuery one complete part → PartAnswer; in order per rendition; a repeat is `known`. The body
 *                     is the captions of the part's time as JSON (PartCaptions, `captions` bytes; usually none), then the part
 *   POST …/gap        Gap → PartAnswer              parts of this segment are lost and no more follow: the segment ends with the stored
 *                     parts, or becomes a gap; in order with the parts of its rendition
 *   POST …/dropped    Dropped → PartAnswer          the encoder has dropped a rung; parts after a reconnect restore it
 *   PUT  …/thumbnail?capturedAt=                    the newest picture, image/jpeg up to 512 KiB → {}; an older one is ignored
 * 401: the token is missing, malformed or forged. 403: it belongs to another session or has expired. 410: the session is over. The gateway
 * then disconnects the broadcaster. Other failures are retried while the broadcast lasts.
 */
import { z } from "zod";
import { GATEWAY_ID } from "./gateway-credential.ts";
import { IngestWarning, MAX_INGEST_WARNINGS } from "./ingest-warning.ts";
import { isSecureUrl } from "./secure-url.ts";

export const GATEWAY_LEASE_MS = 30_000;
export const SILENT_AFTER_MS = 5000;

const gatewayId = z.string().regex(GATEWAY_ID);
const url = (protocol: string) =>
  z
    .string()
    .max(2048)
    .startsWith(`${protocol}://`)
    .refine((text) => URL.canParse(text));

export const Register = z.object({
  gatewayId,
  /** URL for broadcasters, without a stream key: "rtmp://live.example.com/live". */
  rtmpUrl: url("rtmp").nullable(),
  rtmpsUrl: url("rtmps").nullable(),
  srtUrl: url("srt").nullable(),
  /** URL for the Worker's HTTP pushes: https, or on the Worker's own machine. Null = the gateway accepts no pushes. */
  httpUrl: z.string().max(2048).refine(isSecureUrl).nullable(),
  startedAt: z.number().min(0), // epoch ms
});
export type Register = z.infer<typeof Register>;

export const IngestProtocol = z.enum(["rtmp", "rtmps", "srt", "http"]);
export type IngestProtocol = z.infer<typeof IngestProtocol>;

const renditionName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/); // path component: "v720", "a1"

/** Sounds of a broadcast, such as languages. Each is a rendition, "a1" to "a8"; further ones of the source are left out. */
export const MAX_SOUNDS = 8;
export const SOUND_RENDITION = /^a[1-8]$/;

/** How the source labels a sound. */
const soundLabels = {
  /** BCP 47; absent = unknown. */
  languageCode: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/)
    .optional(),
  /** It describes the picture for viewers who do not see it. */
  isDescription: z.boolean().optional(),
  /** Its own name in the source. */
  title: z.string().max(255).optional(),
  channels: z.int().positive(), // of the rendition
};
/** A sound of the session. */
export const KnownSound = z.object({ name: renditionName, sampleRateHz: z.int().positive(), ...soundLabels });
export type KnownSound = z.infer<typeof KnownSound>;

const streamKey = z.string().max(512);

/**
 * The broadcaster's IPv4 address or IPv6 /48: the Worker counts the unknown keys of each network. Absent for pushes over HTTP, which the Worker
 * forwards itself, and from gateways of releases before 2026-11-28.
 */
const network = z.string().max(64).optional();

export const AskPassphrase = z.object({ gatewayId, streamKey, network });
export type AskPassphraseRequest = z.input<typeof AskPassphrase>;
export type PassphraseAnswer =
  | { accepted: true; passphrase: string }
  | { accepted: false; reason: "unknown_key" | "disabled" };

export const Authorize = z.object({
  gatewayId,
  /** Start time of the gateway process, epoch ms. After a restart its broadcasters may reconnect without waiting for the silence timeout. */
  gatewayStartedAt: z.number().min(0).default(0),
  protocol: IngestProtocol,
  streamKey,
  network,
  /** SRT: the passphrase of the handshake. */
  passphrase: z.string().max(512).optional(),
});
export type Authorize = z.infer<typeof Authorize>;
export type AuthorizeRequest = z.input<typeof Authorize>;

/** Encoding settings of a broadcast; the durations never change within a session. */
export const IngestSettings = z.object({
  maxResolution: z.enum(["1080p", "720p", "480p"]),
  latencyMode: z.enum(["low", "standard"]),
  partTargetMs: z.int().positive(),
  segmentMs: z.int().positive(),
  /** The broadcaster resumes a session: its encoder must call `…/resume` before sending media. */
  reconnect: z.boolean(),
  /**
   * Sounds of the session, those of the last broadcast first. A sound of the same language continues its rendition, and one that the new
   * broadcast lacks is continued as silence: players stop at a gap of the sound that they play. Absent = none.
   */
  sounds: z.array(KnownSound).max(MAX_SOUNDS).optional(),
});
export type IngestSettings = z.infer<typeof IngestSettings>;

export const REFUSALS = ["unknown_key", "disabled", "busy", "wrong_passphrase"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Announces media that does not directly continue the previous media. */
export const Opening = z.object({
  /** Unchanged in retries. */
  id: z.uuid(),
  /** Capture time of the first picture, or of the first sound without a picture; epoch ms. */
  capturedAt: z.number().min(0),
  /** Renditions of the media, with the SHA-256 of each init segment in hexadecimal. */
  renditions: z.array(z.object({ name: renditionName, initSha256: z.string().regex(/^[0-9a-f]{64}$/) })).max(16),
});
export type Opening = z.infer<typeof Opening>;

export const Resume = z.object({
  nextMsn: z.int().min(0),
  /** False: the timeline continues with the existing init segments. */
  discontinuity: z.boolean(),
  initVersion: z.int().min(0),
  /** Start of the media on the session's timeline. */
  seconds: z.number().min(0),
  /** The same in ticks, for renditions that continue exactly at their end. */
  ticks: z.record(z.string(), z.int().min(0)),
});
export type Resume = z.infer<typeof Resume>;

export const AuthorizeAnswer = z.discriminatedUnion("accepted", [
  z.object({
    accepted: z.literal(true),
    sessionId: z.uuid(),
    streamId: z.string(),
    token: z.string(),
    callbackUrl: z.string(),
    settings: IngestSettings,
  }),
  z.object({ accepted: z.literal(false), reason: z.enum(REFUSALS) }),
]);
export type AuthorizeAnswer = z.infer<typeof AuthorizeAnswer>;

export const SoundFacts = z.object({
  ...soundLabels,
  /** The broadcast lacks it: it is silent, and new players are not offered it. */
  isAbsent: z.boolean().optional(),
});
export type SoundFacts = z.infer<typeof SoundFacts>;

export const LiveRendition = z.object({
  name: renditionName,
  kind: z.enum(["video", "audio"]),
  widthPx: z.int().positive().nullable(),
  heightPx: z.int().positive().nullable(),
  bitrateBps: z.number().min(0),
  codec: z.string().max(64), // RFC 6381
  timescale: z.int().positive(), // ticks per second of its parts' durations
  /** For `audio` only. Absent in sessions from before broadcasts had several sounds. */
  sound: SoundFacts.optional(),
});
export type LiveRendition = z.infer<typeof LiveRendition>;

export const soundsOf = (renditions: readonly LiveRendition[]): KnownSound[] =>
  renditions.flatMap(({ name, timescale: sampleRateHz, sound }) => {
    if (sound === undefined) return [];
    const { isAbsent: _, ...labels } = sound;
    return [{ name, sampleRateHz, ...labels }];
  });

/** The sounds of a session after another broadcast. @param before those of earlier ones */
export const mergedSounds = (newest: readonly KnownSound[], before: readonly KnownSound[]): KnownSound[] =>
  [...newest, ...before.filter(({ name }) => newest.every((one) => one.name !== name))].slice(0, MAX_SOUNDS);

export const Started = z.object({
  video: z
    .object({
      codec: z.string().max(64), // libav's name: "h264"
      widthPx: z.int().positive(),
      heightPx: z.int().positive(),
      frameRate: z.number().min(0), // frames per second; 0 = unknown
    })
    .nullable(),
  audio: z
    .object({ codec: z.string().max(64), sampleRateHz: z.int().positive(), channels: z.int().positive() })
    .nullable(),
  renditions: z.array(LiveRendition).max(16),
});
export type Started = z.infer<typeof Started>;

export const Heartbeat = z.object({
  /** Complete segments of the session so far, including those before a reconnect: the next media sequence number. */
  segments: z.int().min(0).max(100_000_000),
  droppedRungs: z.array(z.string().max(32)).max(16),
  speed: z.number().min(0), // media seconds encoded per second
  /** No media is arriving: the heartbeat only queries the session's state and does not renew it. */
  silent: z.boolean().default(false),
  /** The broadcaster's connection is over, but not all media that it sent is encoded yet: another broadcaster may take over. */
  hasDisconnected: z.boolean().default(false),
  /** Everything found wrong with this connection's media so far, so that a repeat changes nothing. */
  warnings: z.array(IngestWarning).max(MAX_INGEST_WARNINGS).default([]),
  at: z.number().min(0), // epoch ms
});
export type Heartbeat = z.infer<typeof Heartbeat>;
export type HeartbeatRequest = z.input<typeof Heartbeat>;

/** Channels of CEA-608, services of CEA-708 (CTA-608-E, CTA-708-E) and pages of teletext that are read. Also the names of their renditions. */
export const CAPTION_CHANNEL = /^(?:cc[1-4]|service[1-6]|teletext[1-8][0-9]{2})$/;
const MAX_CAPTION_CHANNELS = 16;
/** Limits of the captions of one part, which is at most one second long. */
export const MAX_CAPTIONS_BYTES = 128 * 1024;
const MAX_PART_CUES = 128;
export const MAX_LIVE_CAPTION_LENGTH = 2000; // UTF-16 code units
const captionMs = z.int().min(0).max(1e10); // on the session's timeline

/** What the captions of a picture show during a part, by channel. A caption that is shown longer is in each of its parts. */
export const PartCaptions = z
  .array(
    z.object({
      channel: z.string().regex(CAPTION_CHANNEL),
      /** ISO 639-2, as the source announces it. */
      language: z
        .string()
        .regex(/^[a-z]{3}$/)
        .optional(),
      /** Subtitles for viewers who hear the sound. Absent: captions, for those who do not. */
      isSubtitle: z.literal(true).optional(),
      cues: z
        .array(
          z.object({
            startMs: captionMs,
            endMs: captionMs,
            settings: z.string().max(64), // of a WebVTT cue
            text: z.string().max(MAX_LIVE_CAPTION_LENGTH), // payload of a WebVTT cue
          }),
        )
        .max(MAX_PART_CUES),
    }),
  )
  .max(MAX_CAPTION_CHANNELS);
export type PartCaptions = z.infer<typeof PartCaptions>;

/**
 * Format of the media that an init segment belongs to. Absent = that of the session's last `started`: gateway and Worker are replaced one after
 * the other. `frameRate` is in frames per second.
 */
export const InitQuery = z.object({
  codec: z.string().min(1).max(64).optional(), // RFC 6381
  widthPx: z.coerce.number().int().positive().optional(),
  heightPx: z.coerce.number().int().positive().optional(),
  frameRate: z.coerce.number().positive().max(1000).optional(),
});

/** Metadata of a part, which players need before its bytes. */
export const PartQuery = z.object({
  ticks: z.coerce.number().int().positive(), // of the rendition's timescale
  at: z.coerce.number().int().min(0), // decode time of its first sample on the session's timeline, in the same ticks
  independent: z.enum(["0", "1"]).transform((text) => text === "1"), // starts with a key frame
  last: z.enum(["0", "1"]).transform((text) => text === "1"), // completes the segment
  capturedAt: z.coerce.number().min(0), // of the segment's first sample, epoch ms
  discontinuity: z.enum(["0", "1"]).transform((text) => text === "1"), // of the segment
  init: z.coerce.number().int().min(0), // version of the init segment that it needs
  captions: z.coerce.number().int().min(0).max(MAX_CAPTIONS_BYTES).default(0), // bytes of captions before the part
});
/** `missing`: `expected` names the part that must come first; it was lost, or this one arrived too early. */
export type PartAnswer =
  | { verdict: "taken" | "known" }
  | { verdict: "missing"; expected: { msn: number; part: number } }
  | { verdict: "refused"; reason: string };

export const Gap = z.object({ rendition: z.string().max(32), msn: z.int().min(0).max(999_999_999) });
export type Gap = z.infer<typeof Gap>;

/** The rung's last segment is the one before `fromMsn`. */
export const Dropped = z.object({ rendition: z.string().max(32), fromMsn: z.int().min(0).max(999_999_999) });
export type Dropped = z.infer<typeof Dropped>;

export const MAX_THUMBNAIL_BYTES = 512 * 1024;
export const ThumbnailQuery = z.object({ capturedAt: z.coerce.number().min(0) }); // epoch ms

export const END_REASONS = ["finished", "disabled", "deleted", "max_duration", "replaced"] as const;
export const HeartbeatAnswer = z.object({
  continue: z.boolean(),
  /**
   * Why the session is over; null also when its reconnect window has expired. With `continue`: why the broadcaster must be disconnected; the
   * gateway ends the connection, completes the received media and reports `ended`.
   */
  reason: z.enum(END_REASONS).nullable(),
  /** Replaces the token, which expires within the hour. */
  token: z.string().optional(),
});
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>;

export const Ended = z.object({ reason: z.string().max(256) });
export type Ended = z.infer<typeof Ended>;

/** A gateway's answer to a pushed broadcast; `reason` is why it ended or was refused. */
export const PushAnswer = z.object({ accepted: z.boolean(), reason: z.string() });
export type PushAnswer = z.infer<typeof PushAnswer>;

/** Enabled simulcast targets. */
export const SimulcastTargets = z.object({
  /** Including disabled targets. Targets can be added only while the stream is idle, so 0 stays 0 for the whole broadcast. */
  total: z.int().min(0),
  targets: z.array(z.object({ simulcastId: z.string(), url: z.string(), streamKey: z.string() })),
  /** Targets at private addresses are allowed. */
  allowsPrivateNetwork: z.boolean(),
});
export type SimulcastTargets = z.infer<typeof SimulcastTargets>;

export const TargetState = z.object({
  /** ID of the event, unchanged in retries. */
  eventId: z.uuid(),
  simulcastId: z.string().max(64),
  /** `failed`: it is unreachable, refuses or was lost, and is tried again; `ended`: nothing is sent any more, without a failure. */
  state: z.enum(["starting", "broadcasting", "failed", "ended"]),
  /** For `failed` only. Neither contains the target's address or key. */
  failure: z.object({ reason: z.string().max(64), detail: z.string().max(256) }).optional(),
  at: z.number().min(0), // epoch ms
});
export type TargetState = z.infer<typeof TargetState>;
