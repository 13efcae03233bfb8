/**
 * The soak of beacons: players report views while the Worker is killed repeatedly. Then what the API knows of them is compared with what was answered
 * (see verdict.ts).
 */
import { startTestPlatform, type TestPlatform } from "../platform.ts";
import { Random, type Range } from "../soak/random.ts";
import { aimAtWorker, killWorker, untilUp } from "../soak/worker-kill.ts";
import { type PlayedView, Players } from "./players.ts";

export interface BeaconSoakSize {
  seed: number;
  players: number;
  /** Between two beacons of a player. */
  pauseMs: Range;
  /** Kills while players report; one more follows when all their beacons are answered. */
  kills: number;
  /** From the restart to the next kill. */
  upMs: Range;
  /** Views that must have ended before the last kill, however slow the machine is. */
  views: number;
  /** Time limit for all views to end after the last kill. */
  settleMs: number;
}

/** About half a minute. */
export const SMALL: Omit<BeaconSoakSize, "seed"> = {
  players: 6,
  pauseMs: [5, 40],
  kills: 4,
  upMs: [200, 1000],
  views: 60,
  settleMs: 60_000,
};

/** Some minutes. */
export const FULL: Omit<BeaconSoakSize, "seed"> = {
  players: 16,
  pauseMs: [20, 200],
  kills: 20,
  upMs: [500, 8000],
  views: 1000,
  settleMs: 300_000,
};

export interface SeenView {
  isFinal: boolean;
  events: { pt: number | null }[];
}

export interface BeaconSoakResult {
  played: PlayedView[];
  /** Records of `GET /v1/data/viewlist/{id}`; a view that it does not know is absent. */
  seen: Map<string, SeenView>;
  /** Ids on the pages of `GET /v1/data/viewlist`. */
  listed: string[];
  /** How many views the metric `views` counts. */
  counted: number;
  /** Views that `playback.completed` and `playback.errored` name, in order. */
  announced: { type: string; viewId: string }[];
  refusals: string[];
  sent: number;
  cutOff: number;
  downMs: number[];
}

const POLL_MS = 200;
const NO_SOURCE = "http://127.0.0.1:1/none.mp4";
const PAGE = 50;

export async function soakBeacons(size: BeaconSoakSize): Promise<BeaconSoakResult> {
  const random = new Random(size.seed);
  const platform = await startTestPlatform();
  let players: Players | undefined;
  try {
    const { playbackId } = await platform.create(NO_SOURCE);
    players = new Players(platform, `${platform.baseUrl}/${playbackId}.m3u8`, size.pauseMs);
    const playing = players.play(size.players, random.branch());
    const downMs: number[] = [];
    while (downMs.length < size.kills) {
      await pause(random.between(size.upMs));
      if (downMs.length === size.kills - 1) await untilPlayed(players, size.views);
      downMs.push(await killAtAnswer(platform, players));
    }
    players.stop();
    await playing;
    killWorker(platform);
    downMs.push(await untilUp(platform)); // from here on no request wakes a view
    const announced = await untilAnnounced(platform, players.views.length, size.settleMs);
    const { views: played, refusals, sent, cutOff } = players;
    return { played, refusals, sent, cutOff, downMs, announced, ...(await look(platform, played)) };
  } finally {
    players?.abandon();
    await platform.stop();
    await platform.removeHome();
  }
}

/** At the very moment of an answer, so that what is done after it is lost. */
async function killAtAnswer(platform: TestPlatform, players: Players): Promise<number> {
  const kill = aimAtWorker(platform);
  await new Promise<void>((done) => {
    players.onAnswer = () => {
      kill();
      done();
    };
  });
  return await untilUp(platform);
}

async function untilPlayed({ views }: Players, count: number): Promise<void> {
  const isAnswered = ({ answered, events }: PlayedView) => answered.size === events;
  while (views.filter(isAnswered).length < count) await pause(POLL_MS);
}

/** Waits until as many views are announced as there are, or no more are within the limit; then the verdict says which are missing. */
async function untilAnnounced(platform: TestPlatform, count: number, limitMs: number) {
  const deadlineMs = Date.now() + limitMs;
  for (;;) {
    const announced = await readAnnounced(platform);
    if (new Set(announced.map(({ viewId }) => viewId)).size >= count || Date.now() > deadlineMs) return announced;
    await pause(POLL_MS);
  }
}

async function readAnnounced({ baseUrl, authorization }: TestPlatform): Promise<BeaconSoakResult["announced"]> {
  const announced: BeaconSoakResult["announced"] = [];
  for (let cursor = ""; ;) {
    const page = await fetch(`${baseUrl}/v1/events?type=playback.*&limit=100${cursor}`, { headers: { authorization } });
    if (page.status !== 200) throw new Error(`the list of events answered ${page.status}: ${await page.text()}`);
    const body = (await page.json()) as {
      data: { type: string; data: { viewId: string } }[];
      pagination: { nextCursor: string | null };
    };
    announced.push(...body.data.map(({ type, data }) => ({ type, viewId: data.viewId })));
    if (body.pagination.nextCursor === null) return announced;
    cursor = `&cursor=${encodeURIComponent(body.pagination.nextCursor)}`;
  }
}

async function look(platform: TestPlatform, played: PlayedView[]) {
  const seen = new Map<string, SeenView>();
  for (const { viewId } of played) {
    const { status, body } = await platform.api<SeenView>("GET", `/v1/data/viewlist/${viewId}`);
    if (status === 200) seen.set(viewId, body.data);
  }
  const listed: string[] = [];
  for (let page = 1; listed.length === (page - 1) * PAGE; page += 1) {
    const path = `/v1/data/viewlist?timespan[]=24:hours&limit=${PAGE}&offset=${page}`;
    const { body } = await platform.api<{ viewId: string }[]>("GET", path);
    listed.push(...body.data.map(({ viewId }) => viewId));
  }
  const overall = await platform.api<{ value: number }>("GET", "/v1/data/metrics/views/overall?timespan[]=24:hours");
  return { seen, listed, counted: overall.body.data.value };
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
