import { HttpClient } from "../http-client.ts";
import type { DashEvidence } from "./evidence.ts";
import { Loader } from "./loader.ts";
import type { Mpd } from "./manifest.ts";
import { readManifest } from "./read-manifest.ts";

const ANSWER_WITHIN_MS = 35_000;
/** A stream that has just begun may refuse the first requests. */
const BEGINS_WITHIN_MS = 10_000;
/** Reload interval without `minimumUpdatePeriod`, and its minimum. */
const UPDATE_MS = 500;

export interface GatherOptions {
  /** Time to follow a dynamic MPD. */
  seconds: number;
  schemaPath: string;
}

/** Follows an MPD at its URL, and loads the listed segments. @throws when there is no MPD at the URL */
export async function gather(url: string, { seconds, schemaPath }: GatherOptions): Promise<DashEvidence> {
  const client = new HttpClient(ANSWER_WITHIN_MS);
  const evidence: DashEvidence = { url, manifests: [], media: new Map(), clock: null };
  const loader = new Loader(client, evidence);
  const untilMs = Date.now() + seconds * 1000;
  const ask = async (): Promise<Mpd | null> => {
    const { exchange, bytes } = (await client.get(url))!;
    const answer = readManifest(exchange, new TextDecoder().decode(bytes), schemaPath);
    if (answer.status === 200 || evidence.manifests.length > 0) evidence.manifests.push(answer);
    if (answer.mpd !== null) loader.see(answer.mpd);
    return answer.mpd;
  };

  let mpd = await enter(client, evidence, ask);
  await askClock(client, evidence, mpd);
  while (mpd?.isDynamic === true && Date.now() < untilMs) {
    await client.pause(Math.max(UPDATE_MS, (mpd.minimumUpdateS ?? 0) * 1000));
    mpd = (await ask()) ?? mpd;
    if (evidence.manifests.at(-1)!.status !== 200) break; // reported by a rule
  }
  await loader.done();
  return evidence;
}

async function enter(client: HttpClient, evidence: DashEvidence, ask: () => Promise<Mpd | null>): Promise<Mpd | null> {
  const untilMs = Date.now() + BEGINS_WITHIN_MS;
  for (;;) {
    const mpd = await ask();
    if (evidence.manifests.length > 0) return mpd;
    if (Date.now() > untilMs) throw new Error(`${evidence.url} does not answer with an MPD.`);
    await client.pause(UPDATE_MS);
  }
}

/** Schemes whose value is a URL that answers with ISO 8601. */
const ISO_CLOCKS = new Set(["urn:mpeg:dash:utc:http-iso:2014", "urn:mpeg:dash:utc:http-xsdate:2014"]);

async function askClock(client: HttpClient, evidence: DashEvidence, mpd: Mpd | null): Promise<void> {
  const clock = mpd?.clocks.find(({ schemeIdUri, value }) => ISO_CLOCKS.has(schemeIdUri) && value !== null);
  if (clock === undefined) return;
  const answer = await client.get(new URL(clock.value!.split(" ")[0]!, evidence.url).href);
  if (answer !== null) evidence.clock = { ...answer.exchange, text: new TextDecoder().decode(answer.bytes) };
}
