/**
 * What an ingest gateway asks of the Worker during a broadcast. Both sides import this file, so it depends on little but zod.
 * Times are milliseconds unless the name says otherwise.
 *
 * With `Authorization: Bearer {credential}` of the gateway (../gateway-credential.ts):
 *   POST /internal/ingest/register    Register → {}                       every 10 s; a gateway not heard of for 30 s is gone
 *   POST /internal/ingest/passphrase  AskPassphrase → PassphraseAnswer    SRT only, before the handshake: what it has to be encrypted with
 *   POST /internal/ingest/authorize   Authorize → AuthorizeAnswer         before a byte is decoded
 *
 * Below `callbackUrl` ({origin}/internal/live/{sessionId}), with `Authorization: Bearer {token}` of that authorization:
 *   POST …/started    Started → {}                  what the broadcast consists of; again after every reconnect
 *   POST …/heartbeat  Heartbeat → HeartbeatAnswer   each second; `silent` while no media comes in: after 5 s without another one the
 *                     broadcaster counts as silent and another one may take its place; if none has, the next heartbeat goes on
 *   POST …/ended      Ended → {}                    the broadcaster is gone; the reconnect window begins
 *   POST …/resume     Opening → Resume              where media goes on after a reconnect, a jump of the source or the death of an encoder;
 *                     closes what was unfinished, and fills the time without media when the media is of the same kind as before
 *   GET  …/targets    → SimulcastTargets            where else the broadcast is to go at this moment
 *   POST …/target     TargetState → {}              what becomes of one of them
 *   PUT  …/init/{rendition}/{version}               an init segment → {}
 *   PUT  …/parts/{rendition}/{msn}/{part}?PartQuery one part, whole → PartAnswer: in order, each rendition for itself; a repeat is `known`
 *   POST …/gap        Gap → PartAnswer              parts of this segment are lost, and none of it follows: it ends with those that
 *                     were taken, or is told as a gap; in order with the parts of its rendition
 *   POST …/dropped    Dropped → PartAnswer          the encoder has given a rung up; parts for it after a reconnect bring it back
 *   PUT  …/thumbnail?capturedAt=                    the newest picture, image/jpeg up to 512 KiB → {}; an older one changes nothing
 * 401: the token is missing, malformed or forged; 403: it is another session's, or expired; 410: the session is over. The gateway
 * then lets the broadcaster go. Other failures are tried again while the broadcast lasts.
 */
import { z } from "zod";
import { GATEWAY_ID } from "./gateway-credential.ts";
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
  /** Where broadcasters reach it, without a key: "rtmp://live.example.com/live". */
  rtmpUrl: url("rtmp").nullable(),
  rtmpsUrl: url("rtmps").nullable(),
  srtUrl: url("srt").nullable(),
  /** Where the Worker reaches it, for broadcasts pushed over HTTP: over TLS, or on the Worker's own machine. Null = it takes none. */
  httpUrl: z.string().max(2048).refine(isSecureUrl).nullable(),
  startedAt: z.number().min(0), // epoch ms
});
export type Register = z.infer<typeof Register>;

export const IngestProtocol = z.enum(["rtmp", "rtmps", "srt", "http"]);
export type IngestProtocol = z.infer<typeof IngestProtocol>;

const streamKey = z.string().max(512);

export const AskPassphrase = z.object({ gatewayId, streamKey });
export type PassphraseAnswer =
  | { accepted: true; passphrase: string }
  | { accepted: false; reason: "unknown_key" | "disabled" };

export const Authorize = z.object({
  gatewayId,
  /** Of the gateway's process, epoch ms. One that was started again has lost its broadcasters: they need not wait for their own silence. */
  gatewayStartedAt: z.number().min(0).default(0),
  protocol: IngestProtocol,
  streamKey,
  /** SRT: the one that the handshake was held with. */
  passphrase: z.string().max(512).optional(),
});
export type Authorize = z.infer<typeof Authorize>;
export type AuthorizeRequest = z.input<typeof Authorize>;

/** How a broadcast is encoded; the times never change within a session. */
export const IngestSettings = z.object({
  maxResolution: z.enum(["1080p", "720p", "480p"]),
  latencyMode: z.enum(["low", "standard"]),
  partTargetMs: z.int().positive(),
  segmentMs: z.int().positive(),
  /** The broadcaster comes back to a session: its encoder asks for its place (`…/resume`) before it sends anything. */
  reconnect: z.boolean(),
});
export type IngestSettings = z.infer<typeof IngestSettings>;

export const REFUSALS = ["unknown_key", "disabled", "busy", "wrong_passphrase"] as const;
export type Refusal = (typeof REFUSALS)[number];

const renditionName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/); // path component: "v720", "a1"

/** Media is about to come that is not simply the continuation of what came before. */
export const Opening = z.object({
  /** The same when it is sent again. */
  id: z.uuid(),
  /** Of its first picture, or of its first sound where there is no picture; epoch ms. */
  capturedAt: z.number().min(0),
  /** What is about to come, with the SHA-256 of each init segment in hexadecimal. */
  renditions: z.array(z.object({ name: renditionName, initSha256: z.string().regex(/^[0-9a-f]{64}$/) })).max(16),
});
export type Opening = z.infer<typeof Opening>;

export const Resume = z.object({
  nextMsn: z.int().min(0),
  /** False: the timeline goes on, with the init segments that there are. */
  discontinuity: z.boolean(),
  initVersion: z.int().min(0),
  /** Where the media begins on the session's timeline. */
  seconds: z.number().min(0),
  /** The same in ticks for renditions that go on exactly where they ended. */
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

export const LiveRendition = z.object({
  name: renditionName,
  kind: z.enum(["video", "audio"]),
  widthPx: z.int().positive().nullable(),
  heightPx: z.int().positive().nullable(),
  bitrateBps: z.number().min(0),
  codec: z.string().max(64), // RFC 6381
  timescale: z.int().positive(), // ticks per second of its parts' durations
});
export type LiveRendition = z.infer<typeof LiveRendition>;

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
  /** Whole segments of the session so far, those before a reconnect included: the next media sequence number. */
  segments: z.int().min(0).max(100_000_000),
  droppedRungs: z.array(z.string().max(32)).max(16),
  speed: z.number().min(0), // media seconds encoded per second
  /** No media comes: it only asks whether it may stay, and does not count as a sign of life. */
  silent: z.boolean().default(false),
  at: z.number().min(0), // epoch ms
});
export type Heartbeat = z.infer<typeof Heartbeat>;
export type HeartbeatRequest = z.input<typeof Heartbeat>;

/** What a player has to know of a part before it has its bytes. */
export const PartQuery = z.object({
  ticks: z.coerce.number().int().positive(), // of the rendition's timescale
  at: z.coerce.number().int().min(0), // decode time of its first sample on the session's timeline, in the same ticks
  independent: z.enum(["0", "1"]).transform((text) => text === "1"), // it begins with a key frame
  last: z.enum(["0", "1"]).transform((text) => text === "1"), // the segment is whole with it
  capturedAt: z.coerce.number().min(0), // of the segment's first picture, epoch ms
  discontinuity: z.enum(["0", "1"]).transform((text) => text === "1"), // of the segment
  init: z.coerce.number().int().min(0), // version of the init segment that it needs
});
/** `missing`: another part is expected, and told; it was lost on the way, or this one came too soon. */
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
   * Why not; null also when the session ended by itself, after its reconnect window. With `continue`: why the broadcaster is to go. The gateway
   * cuts it off, makes whole what it has, and says `ended`.
   */
  reason: z.enum(END_REASONS).nullable(),
  /** Takes the place of the token from now on: that one expires within the hour. */
  token: z.string().optional(),
});
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>;

export const Ended = z.object({ reason: z.string().max(256) });
export type Ended = z.infer<typeof Ended>;

/** What a gateway says of a broadcast that the Worker has passed on to it; `reason` is why it is over, or why it was refused. */
export const PushAnswer = z.object({ accepted: z.boolean(), reason: z.string() });
export type PushAnswer = z.infer<typeof PushAnswer>;

/** Platforms that get the broadcast too, as far as they are switched on. */
export const SimulcastTargets = z.object({
  /** With those that are switched off. Targets are added while the stream is idle: none stays none for this broadcast. */
  total: z.int().min(0),
  targets: z.array(z.object({ simulcastId: z.string(), url: z.string(), streamKey: z.string() })),
  /** Targets at private addresses are meant. */
  allowsPrivateNetwork: z.boolean(),
});
export type SimulcastTargets = z.infer<typeof SimulcastTargets>;

export const TargetState = z.object({
  /** Of the event: the same when it is told again. */
  eventId: z.uuid(),
  simulcastId: z.string().max(64),
  state: z.enum(["starting", "broadcasting"]),
  at: z.number().min(0), // epoch ms
});
export type TargetState = z.infer<typeof TargetState>;
