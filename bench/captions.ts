/** Generated captions: what the platform adds to a provider's own time, and its memory at 12 h. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { commandOf, descendantsOf } from "../test/support/processes.ts";
import { fileContent } from "../test/support/source-content.ts";
import { type SourceServer, startSourceServer } from "../test/support/source-server.ts";
import { answerJson, heardWords, type SpeechStandIn, startSpeechStandIn } from "../test/support/speech-stand-in.ts";
import { type Figure, milliseconds } from "./support/figures.ts";
import { type Heap, openHeap } from "./support/heap.ts";
import { burstsOfSound } from "./support/sources.ts";

/** A provider's time for a piece of two minutes and a half: five times as fast as the sound. */
const PIECE_MS = 30_000;
const LONG_HOURS = Number(process.env.BENCH_HOURS ?? 12);
/** A file of twelve hours is a moment longer, and is refused. */
const MARGIN_SECONDS = 60;
const LIMIT_MS = 3_600_000;
const MIB = 2 ** 20;
/** Garbage is collected before each sample. */
const SAMPLE_MS = 250;
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");
const mebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;

type Captioned = Media & { generatedSubtitles: { id: string; status: string }[] };

async function newMedia(platform: TestPlatform, server: SourceServer, seconds: number) {
  const path = `/${seconds}.m4a`;
  server.add(path, { kind: "content", content: await fileContent(burstsOfSound(seconds)) });
  const { assetId } = await platform.create(server.url(path));
  const { tracks } = await platform.until(assetId, isReady, LIMIT_MS);
  return { assetId, soundId: tracks.find(({ type }) => type === "audio")!.id };
}

/** From the POST to the available track. */
async function generate(platform: TestPlatform, { assetId, soundId }: { assetId: string; soundId: string }) {
  const startedAt = performance.now();
  const { body } = await platform.api<{ id: string }>(
    "POST",
    `/v1/on-demand/${assetId}/tracks/${soundId}/generate-subtitles`,
    { languageCode: "en-US", languageName: "English" },
  );
  const isMade = (media: Media) =>
    (media as Captioned).generatedSubtitles.some(({ id, status }) => id === body.data.id && status !== "preparing");
  const media = (await platform.until(assetId, isMade, LIMIT_MS)) as Captioned;
  const { status } = media.generatedSubtitles.find(({ id }) => id === body.data.id)!;
  if (status !== "available") throw new Error(`the captions are ${status}`);
  return performance.now() - startedAt;
}

async function measureTime(platform: TestPlatform, server: SourceServer, provider: SpeechStandIn): Promise<Figure[]> {
  const media = await newMedia(platform, server, 600);
  provider.answer(
    ({ response }) => void pause(PIECE_MS).then(() => answerJson(response, 200, heardWords("one two three four"))),
  );
  const tookMs = await generate(platform, media);
  const calls = provider.asked.length;
  const oneByOneMs = calls * PIECE_MS;
  const raw = { tookMs, calls, PIECE_MS };
  return [
    {
      name: "captions of 10 min of sound, against its pieces one after another",
      value: `${(oneByOneMs / tookMs).toFixed(2)} × as fast`,
      yardstick: `${calls} calls of ${milliseconds(PIECE_MS)}`,
      aim: "≥ 3 ×",
      isMet: oneByOneMs / tookMs >= 3,
      raw,
    },
    {
      name: "what is added to the provider's own time",
      value: `${((tookMs / PIECE_MS - 1) * 100).toFixed(1)} %`,
      yardstick: `${milliseconds(PIECE_MS)}, ${calls} pieces at once`,
      aim: "≤ 10 %",
      isMet: tookMs / PIECE_MS <= 1.1,
      raw,
    },
    {
      name: "calls for 10 min of sound",
      value: String(calls),
      yardstick: "four at the same time, none longer than five minutes",
      aim: "≤ 4",
      isMet: calls <= 4,
      raw,
    },
  ];
}

/** What a fast speaker says in a piece of five minutes: 150 words a minute, none of them a loop. */
function fullPiece() {
  const word = () => Array.from({ length: 3 }, () => SYLLABLES[Math.floor(Math.random() * SYLLABLES.length)]).join("");
  const words = Array.from({ length: 740 }, (_, n) => ({ word: word(), start: n * 0.4 + 0.02, end: n * 0.4 + 0.36 }));
  return { text: words.map((one) => one.word).join(" "), language: "english", words };
}

/** The peaks of the isolate and of the encoder's processes while captions of a sound are made. */
async function peaksOf(platform: TestPlatform, server: SourceServer, heap: Heap, seconds: number) {
  const media = await newMedia(platform, server, seconds);
  const encoder = platform.pids.encoder()!;
  const made = new AbortController();
  let [worker, child] = [0, 0];
  const sampler = async () => {
    while (!made.signal.aborted) {
      worker = Math.max(worker, await heap.bytesInUse());
      for (const pid of descendantsOf(encoder)) child = Math.max(child, residentBytes(pid));
      await pause(SAMPLE_MS);
    }
  };
  const sampled = sampler();
  const tookMs = await generate(platform, media).finally(() => made.abort());
  await sampled;
  await platform.api("DELETE", `/v1/on-demand/${media.assetId}`);
  return { worker, child, tookMs };
}

function residentBytes(pid: number): number {
  try {
    if (!commandOf(pid).includes("node")) return 0;
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}

async function measureMemory(platform: TestPlatform, server: SourceServer, provider: SpeechStandIn): Promise<Figure[]> {
  provider.answer(({ response }) => void pause(200).then(() => answerJson(response, 200, fullPiece())));
  const heap = await openHeap(platform.settings.inspectorPort!, "sluice");
  const short = await peaksOf(platform, server, heap, 3600);
  const long = await peaksOf(platform, server, heap, LONG_HOURS * 3600 - MARGIN_SECONDS);
  heap.close();
  const raw = { short, long };
  return [
    {
      name: `isolate of the Worker while captions of ${LONG_HOURS} h are made, without garbage`,
      value: `at most ${mebibytes(long.worker)}`,
      yardstick: `of 1 h: ${mebibytes(short.worker)}; took ${milliseconds(long.tookMs)}`,
      aim: "< 128 MB",
      isMet: long.worker < 128e6,
      raw,
    },
    {
      name: "the encoder's child that cuts this sound",
      value: `at most ${mebibytes(long.child)}`,
      yardstick: `of 1 h: ${mebibytes(short.child)}`,
      aim: "≤ 1.2 × of 1 h",
      isMet: long.child <= 1.2 * short.child,
      raw,
    },
  ];
}

export async function run(): Promise<Figure[]> {
  const [server, provider] = [await startSourceServer(), await startSpeechStandIn()];
  const vars = { AI_BASE_URL: provider.baseUrl, AI_MONTHLY_BUDGET_USD: "1000" };
  const platform = await startTestPlatform({ inspected: true, vars });
  try {
    return [...(await measureTime(platform, server, provider)), ...(await measureMemory(platform, server, provider))];
  } finally {
    await platform.stop();
    await platform.removeHome();
    await server.stop();
    await provider.stop();
  }
}
