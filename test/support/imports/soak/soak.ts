/**
 * The soak of migrations: a bucket of tiny real clips, some of which cannot be used, is migrated while the Worker is killed and the source
 * fails, goes away and comes back. Then D1 is compared with what the API says.
 */
import { readFile } from "node:fs/promises";
import { madeFile } from "../../made.ts";
import { freePort, startTestPlatform, type TestPlatform } from "../../platform.ts";
import { Random } from "../../soak/random.ts";
import { killWorker, untilUp } from "../../soak/worker-kill.ts";
import { withState } from "../../state.ts";
import { createImport, type Import, type Item, itemsOf, untilImport } from "../migrations.ts";
import { S3_BUCKET, S3_KEY, S3_REGION, type S3StandIn, startS3StandIn } from "../s3-stand-in.ts";
import { bytesClip, type StandInVideo, type StandInClip } from "../stand-in-library.ts";
import { startStatusReceiver } from "./status-receiver.ts";

export interface ImportSoakSize {
  items: number;
  seed: number;
  /** Kills of the Worker. */
  kills: number;
  /** Times that the source is away. */
  outages: number;
  /** Between two of these, ms. */
  calmMs: readonly [least: number, most: number];
  limitMs: number;
}

export interface ImportSoakResult {
  batch: Import;
  items: Item[];
  /** Rows of the map, without its head. */
  mapRows: number;
  /** Ids of the `migration.batch.completed` events that came, and that D1 has. */
  completed: { received: string[]; stored: number };
  /** Media that are not deleted, and claims. */
  stored: { mediaIds: string[]; claims: number; unreadyOfReadyItems: number };
  tookMs: number;
}

/** Every hundredth video of each of these is one that cannot be used. */
const UNUSABLE: Record<string, number> = { text: 7, archived: 23, empty: 61 };

export async function soakImports(size: ImportSoakSize): Promise<ImportSoakResult> {
  const random = new Random(size.seed);
  const port = await freePort();
  const library = await libraryOf(size.items);
  const source = new Source(port, library);
  await source.start();
  const receiver = await startStatusReceiver();
  const vars = {
    IMPORT_BASE_URLS: JSON.stringify({ s3: source.url }),
    SOURCE_RETRY_SCALE: "0.05",
    WEBHOOK_RETRY_SCALE: "0.002",
  };
  const platform = await startTestPlatform({ vars });
  try {
    const startedAt = performance.now();
    const { id } = await createImport(platform, {
      source: { type: "s3", bucket: S3_BUCKET, region: S3_REGION },
      credentials: { accessKeyId: S3_KEY.accessKeyId, secretAccessKey: S3_KEY.secretAccessKey },
      statusUrl: receiver.url,
    });
    await disturb(platform, source, size, random);
    const batch = await untilImport(
      platform,
      id,
      ({ status }) => status === "done" || status === "paused",
      size.limitMs,
    );
    const items = await itemsOf(platform, id);
    const mapRows = await countMap(platform, id);
    await untilReceived(() => receiver.eventsOf("migration.batch.completed").length > 0);
    const tookMs = performance.now() - startedAt;
    await platform.stop();
    const stored = await readStored(platform, items);
    const completed = { received: receiver.eventsOf("migration.batch.completed"), stored: stored.completed };
    return { batch, items, mapRows, completed, stored, tookMs };
  } finally {
    await platform.stop();
    await source.stop();
    await receiver.close();
    await platform.removeHome();
  }
}

async function libraryOf(count: number): Promise<StandInVideo[]> {
  const words =
    "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -pix_fmt yuv420p -c:v libx264 -movflags +faststart".split(" ");
  const film = bytesClip(new Uint8Array(await readFile(await madeFile(words, "mp4"))));
  const text = bytesClip(new TextEncoder().encode("This is no film.\n".repeat(100)));
  const standIn = await startS3StandIn();
  standIn.addMany(count, film, (number) => unusable(number % 100, text));
  await standIn.close();
  return [...standIn.videos.values()];
}

function unusable(place: number, text: StandInClip): Partial<StandInVideo> {
  if (place === UNUSABLE["text"]) return { clip: text };
  if (place === UNUSABLE["archived"]) return { own: { storageClass: "GLACIER" } };
  if (place === UNUSABLE["empty"]) return { own: { isEmpty: true } };
  return {};
}

/** The source, which comes back on the same port with the same videos. */
class Source {
  readonly url: string;
  readonly #port: number;
  readonly #library: StandInVideo[];
  #standIn: S3StandIn | null = null;

  constructor(port: number, library: StandInVideo[]) {
    this.url = `http://127.0.0.1:${port}`;
    this.#port = port;
    this.#library = library;
  }

  async start(): Promise<void> {
    this.#standIn = await startS3StandIn({ port: this.#port, pageSize: 500 });
    this.#standIn.add(...this.#library);
  }

  async stop(): Promise<void> {
    await this.#standIn?.close();
    this.#standIn = null;
  }

  fail(): void {
    const on = /^(?:GET|HEAD) \//;
    this.#standIn?.plant({ kind: "rateLimited", retryAfterSeconds: 1, on, times: 3 });
    this.#standIn?.plant({ kind: "status", status: 500, on, times: 5 });
    this.#standIn?.plant({ kind: "close", on, times: 5 });
  }
}

async function disturb(platform: TestPlatform, source: Source, size: ImportSoakSize, random: Random): Promise<void> {
  let [kills, outages] = [size.kills, size.outages];
  while (kills + outages > 0) {
    const isKill = random.next() * (kills + outages) < kills;
    await new Promise((done) => setTimeout(done, random.between(size.calmMs)));
    source.fail();
    if (isKill) {
      kills -= 1;
      killWorker(platform);
      await untilUp(platform);
    } else {
      outages -= 1;
      await source.stop();
      await new Promise((done) => setTimeout(done, random.between(size.calmMs)));
      await source.start();
    }
  }
}

async function countMap({ baseUrl, authorization }: TestPlatform, id: string): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/imports/${id}/map.ndjson`, { headers: { authorization } });
  return (await response.text()).split("\n").filter((line) => line !== "").length;
}

async function untilReceived(isIt: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isIt()) {
    if (Date.now() > deadline) throw new Error("no migration.batch.completed came");
    await new Promise((done) => setTimeout(done, 100));
  }
}

const readStored = ({ home }: TestPlatform, items: readonly Item[]) =>
  withState(home, async (state) => {
    const media = await state.rows<{ id: string; status: string }>(
      "SELECT id, status FROM assets WHERE deleted_at IS NULL",
    );
    const [claims] = await state.rows<{ n: number }>("SELECT count(*) AS n FROM imported_videos");
    const [events] = await state.rows<{ n: number }>(
      "SELECT count(*) AS n FROM events WHERE type = 'migration.batch.completed'",
    );
    const ready = new Set(media.filter(({ status }) => status === "ready").map(({ id }) => id));
    const unready = items.filter(({ status, mediaId }) => status === "ready" && !ready.has(mediaId ?? ""));
    return {
      mediaIds: media.map(({ id }) => id),
      claims: claims?.n ?? 0,
      completed: events?.n ?? 0,
      unreadyOfReadyItems: unready.length,
    };
  });
