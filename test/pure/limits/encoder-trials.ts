/** Rules of encoder and gateway that need neither libav nor a socket. */
import { vi } from "vitest";
import { limitsOf } from "../../../encoder/jobs/limits.ts";
import { PictureChooser } from "../../../encoder/moderation/picture-chooser.ts";
import { pictureSpacing } from "../../../encoder/moderation/picture-spacing.ts";
import { MIN_PICTURE_GAP_MS } from "../../../protocol/pictures.ts";
import type { Job } from "../../../protocol/jobs.ts";
import { MessageReader } from "../../../encoder/live/wire.ts";
import { ContainerUnits } from "../../../encoder/gateway/source/container-units.ts";
import { RestartLimit } from "../../../encoder/gateway/reception/restart-limit.ts";
import { Amf0Reader } from "../../../encoder/gateway/rtmp/protocol/amf0.ts";
import { TAG } from "../../../encoder/gateway/simulcast/flv-tags.ts";
import { DecisionSlots, SLOT_LIMITS } from "../../../encoder/gateway/srt/decision-slots.ts";
import { mostPushes } from "../../../encoder/gateway/simulcast/slots.ts";
import { SIMULCAST_QUEUE_BYTES, TagQueue } from "../../../encoder/gateway/simulcast/tag-queue.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";

const FLV_HEADER = Buffer.from("FLV\u0001\u0005\0\0\0\u0009\0\0\0\0", "latin1");
const FLV_TAG_OVERHEAD_BYTES = 15;
const ARRAY_OF_ONE = Buffer.of(10, 0, 0, 0, 1);
const NULL = Buffer.of(5);

function refused(read: () => unknown, answer: string): string {
  try {
    read();
    return TAKEN;
  } catch {
    return answer;
  }
}

/** Callers whose decisions are never made, so those without a slot wait. @param networks number of networks that they come from */
async function callers(
  count: number,
  networks: number,
): Promise<{ deciding: number; waiting: number; refused: number }> {
  const slots = new DecisionSlots();
  const seen = { deciding: 0, waiting: count, refused: 0 };
  for (let n = 0; n < count; n += 1)
    void slots.acquire(`192.0.2.${n % networks}`).then((hasSlot) => {
      seen.waiting -= 1;
      seen[hasSlot ? "deciding" : "refused"] += 1;
    });
  await new Promise((done) => setImmediate(done));
  const before = { ...seen };
  slots.close();
  return before;
}
const { running, runningOfNetwork } = SLOT_LIMITS;
const deciding = (networks: number) => async (count: number) =>
  (await callers(count, networks)).waiting === 0 ? TAKEN : "waits";
const queued = (networks: number, ahead: number) => async (count: number) =>
  (await callers(ahead + count, networks)).refused === 0 ? TAKEN : "refused";

/** The result for a caller that has waited this long for a slot. */
async function waitingCaller(ms: number): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const slots = new DecisionSlots();
    for (let n = 0; n < runningOfNetwork; n += 1) await slots.acquire("192.0.2.1");
    let verdict = TAKEN;
    const answered = slots.acquire("192.0.2.1").then((hasSlot) => void (verdict = hasSlot ? TAKEN : "refused"));
    vi.advanceTimersByTime(ms);
    await new Promise((done) => setImmediate(done));
    const seen = verdict;
    slots.close();
    await answered;
    return seen;
  } finally {
    vi.useRealTimers();
  }
}

/** Limits of a probe's child process; test/encoder/limits.test.ts shows that it is killed beyond them. */
const PROBE = limitsOf({ kind: "probe" } as Job);
const TRANSCRIBE = limitsOf({ kind: "transcribe" } as Job);
const CAPTIONS = limitsOf({ kind: "captions" } as Job);
const within = (limit: number) => upTo((amount) => (amount <= limit ? TAKEN : "source_exceeds_limits"));

export const ENCODER_TRIALS = {
  "job-silence": within(PROBE.silenceMs),
  "probe-time": within(PROBE.wallMs),
  "captions-time": within(CAPTIONS.wallMs),
  "job-memory": within(PROBE.rssBytes),
  "speech-time": within(limitsOf({ kind: "speech" } as Job).wallMs),
  "pictures-time": within(limitsOf({ kind: "pictures" } as Job).wallMs),
  "judged-pictures": upTo((count) => {
    const chooser = new PictureChooser(pictureSpacing(0));
    const taken = Array.from({ length: count }, (_, n) => chooser.takes(n * MIN_PICTURE_GAP_MS, true)).filter(Boolean);
    return taken.length === count ? TAKEN : "a longer gap";
  }),
  "transcribe-time": within(TRANSCRIBE.wallMs),
  "transcribe-memory": within(TRANSCRIBE.rssBytes),
  "amf-depth": upTo((levels) => {
    const bytes = Buffer.concat([...Array.from({ length: levels }, () => ARRAY_OF_ONE), NULL]);
    return refused(() => new Amf0Reader(bytes).read(), "closed");
  }),
  "amf-values": upTo((values) => {
    const array = Buffer.from(ARRAY_OF_ONE);
    array.writeUInt32BE(values - 1, 1); // the array is also a value
    return refused(() => new Amf0Reader(Buffer.concat([array, Buffer.alloc(values, NULL)])).read(), "closed");
  }),
  "container-unit": upTo((bytes) => {
    const tag = Buffer.alloc(11, 9);
    tag.writeUIntBE(bytes - FLV_TAG_OVERHEAD_BYTES, 1, 3);
    const [unit] = new ContainerUnits().push(Buffer.concat([FLV_HEADER, tag]));
    return unit!.head === "0-header" ? TAKEN : "passed on"; // a unit that is too long is passed on unparsed
  }),
  "broadcast-message": upTo((bytes) => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(bytes - header.length, 4);
    return refused(() => new MessageReader().push(header), "killed");
  }),
  "broadcast-restarts": upTo((times) => {
    const limit = new RestartLimit();
    const verdicts = Array.from({ length: times }, () => limit.record(0));
    return verdicts.at(-1) === true ? TAKEN : "ended";
  }),
  "broadcast-restart-window": until((ms) => {
    const limit = new RestartLimit();
    while (limit.record(0));
    const times = Array.from({ length: 2 }, () => limit.record(ms)); // starts at the window's beginning no longer count at its end
    return times.every(Boolean) ? "forgotten" : TAKEN;
  }),
  "srt-decisions": upTo(deciding(running)),
  "srt-decisions-of-network": upTo(deciding(1)),
  "srt-waiting": upTo(queued(running, running)),
  "srt-waiting-of-network": upTo(queued(1, runningOfNetwork)),
  "srt-wait": until(waitingCaller),
  "simulcast-queue": upTo((bytes) => {
    const queue = new TagQueue(SIMULCAST_QUEUE_BYTES, true);
    const half = Math.floor(bytes / 2);
    for (const length of [half, bytes - half])
      queue.push({ type: TAG.video, timestampMs: 0, data: Buffer.alloc(length), isHeader: false, isKeyFrame: true });
    return queue.dropped === 0 ? TAKEN : "dropped";
  }),
  "simulcast-processes-per-core": (bound: number) => {
    const cores = 100;
    const probe = (perCore: number) => (perCore * cores <= mostPushes(cores) ? TAKEN : "overloaded");
    return { atBound: probe(bound), above: probe(bound + 1) };
  },
  "simulcast-processes-at-least": upTo((count) => (count <= mostPushes(1) ? TAKEN : "overloaded")),
};
