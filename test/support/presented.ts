/** What a manifest presents, decoded: its pictures and its sound, through every init segment that it names. */
import { getBytes } from "./playlists.ts";
import { type DecodedPicture, decodePictures, type DecodedSound, decodeSound } from "./rendition.ts";

/** Consecutive segments with one init segment. */
export interface PresentedRun {
  initUrl: string;
  segmentUrls: string[];
}

const textOf = async (url: string) => Buffer.from(await getBytes(url)).toString();

/** The runs of a media playlist of HLS. */
export async function runsOfPlaylist(url: string): Promise<PresentedRun[]> {
  const runs: PresentedRun[] = [];
  for (const line of (await textOf(url)).split("\n")) {
    const init = /^#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1];
    if (init !== undefined) runs.push({ initUrl: new URL(init, url).href, segmentUrls: [] });
    else if (line !== "" && !line.startsWith("#")) runs.at(-1)!.segmentUrls.push(new URL(line, url).href);
  }
  return runs;
}

/** The runs of each representation of an MPD, by its id; one run for each Period. */
export async function runsOfMpd(url: string): Promise<Map<string, PresentedRun[]>> {
  const text = await textOf(url);
  const base = new URL(/<BaseURL>([^<]+)<\/BaseURL>/.exec(text)![1]!, url);
  const found = new Map<string, PresentedRun[]>();
  for (const [, period] of text.matchAll(/<Period [^>]*>([\s\S]*?)<\/Period>/g))
    for (const [, id, inner] of period!.matchAll(/<Representation id="([^"]+)"[^>]*>([\s\S]*?)<\/Representation>/g)) {
      const attribute = (name: string) => new RegExp(`${name}="([^"]+)"`).exec(inner!)?.[1] ?? "";
      const count = [...inner!.matchAll(/<S ([^>]*)\/>/g)].reduce(
        (sum, [, s]) => sum + 1 + Number(/r="(\d+)"/.exec(s!)?.[1] ?? 0),
        0,
      );
      const named = (template: string) => new URL(template.replace("$RepresentationID$", id!), base).href;
      const first = Number(attribute("startNumber"));
      const media = (n: number) => named(attribute("media").replace("$Number$", String(first + n)));
      found.set(id!, [
        ...(found.get(id!) ?? []),
        { initUrl: named(attribute("initialization")), segmentUrls: Array.from({ length: count }, (_, n) => media(n)) },
      ]);
    }
  return found;
}

async function bytesOf({ initUrl, segmentUrls }: PresentedRun): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (const url of [initUrl, ...segmentUrls]) parts.push(await getBytes(url));
  return Buffer.concat(parts);
}

export async function picturesOf(runs: readonly PresentedRun[]): Promise<DecodedPicture[]> {
  const pictures: DecodedPicture[] = [];
  for (const run of runs) pictures.push(...(await decodePictures(await bytesOf(run))));
  return pictures;
}

/** Its init segment is the same in all runs. */
export async function soundOf(runs: readonly PresentedRun[]): Promise<DecodedSound> {
  const [first] = runs;
  return await decodeSound(
    await bytesOf({ initUrl: first!.initUrl, segmentUrls: runs.flatMap(({ segmentUrls }) => segmentUrls) }),
  );
}
