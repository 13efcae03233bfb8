/** What a broadcast of 16 s says in every kind of captions. Frames are of 30000/1001 a second. */
import { channelWords, dtvcc, packetTriplets, PADDING, triplet, type Word } from "./cc-writer.ts";
import { pageData } from "./teletext-writer.ts";

/** Words of each field from a frame on, one a frame, and packets of CEA-708 at a frame. */
export interface CaptionScript {
  fields: [first: [frame: number, words: Word[]][], second: [frame: number, words: Word[]][]];
  packets: [frame: number, triplets: number[][]][];
}

/** `cc_data` of each frame, as broadcasters send it: a word of each field, and 18 triplets of CEA-708, which may be idle. */
export function pictureTriplets({ fields, packets }: CaptionScript, frame: number): number[][] {
  const [one = PADDING] = wordAt(fields[0], frame);
  const [two = PADDING] = wordAt(fields[1], frame);
  const digital = packets.filter(([at]) => at === frame).flatMap(([, triplets]) => triplets);
  const idle = Array.from({ length: Math.max(0, 18 - digital.length) }, () => [0xfa, 0, 0]);
  return [triplet(0, one), triplet(1, two), ...digital, ...idle];
}

const wordAt = (parts: [number, Word[]][], frame: number): Word[] =>
  parts.flatMap(([from, words]) => {
    const word = words[frame - from];
    return word === undefined ? [] : [word];
  });

/** Teletext beside the picture: PES payloads by the time in ms from the first picture, and the descriptor. */
export interface TeletextScript {
  pes: [atMs: number, data: Uint8Array][];
  /** Type (2 = subtitles, 5 = for viewers who do not hear), page of three digits, and language of each entry. */
  entries: [type: number, page: string, languageCode: string][];
}

export const BROADCAST_SECONDS = 16;
const [cc1, cc3] = [channelWords(1), channelWords(3)];

/** A caption of a service, in a window of its own. Each packet is in a frame of its own. */
function service(id: number, from: number, until: number, ...rows: string[]): CaptionScript["packets"] {
  const codes = rows.flatMap((row, n) => [...(n === 0 ? [] : [dtvcc.carriageReturn]), ...dtvcc.text(row)]);
  const parts = [dtvcc.window(0, { rows: rows.length }), ...chunks(codes, 24)];
  return [
    ...parts.map((part, n): [number, number[][]] => [from + n, packetTriplets(part, { service: id, sequence: n })]),
    [from + parts.length, packetTriplets(dtvcc.display(0), { service: id })],
    [until, packetTriplets(dtvcc.remove(0), { service: id })],
  ];
}

const chunks = (codes: number[], size: number): number[][] =>
  Array.from({ length: Math.ceil(codes.length / size) }, (_, n) => codes.slice(n * size, (n + 1) * size));

/** CC1 with pop-on, paint-on and roll-up captions, CC3 in Spanish, service 1 like CC1, and service 2 in French. */
export const BROADCAST: CaptionScript = {
  fields: [
    [
      [20, cc1.popOn("WE SAW A FLOWER", "in the garden")],
      [80, cc1.popOn("It was <yellow> & bright")],
      [130, cc1.erase()],
      [150, cc1.popOn("Caf\\ near the river", "in spring")],
      [200, cc1.erase()],
      [220, cc1.rollUp("CAPTIONS THAT ROLL")],
      [260, cc1.rollUp("FOLLOW EACH OTHER")],
      [300, cc1.rollUp("UP THE SCREEN")],
      [350, cc1.erase()],
      [380, cc1.popOn("The end")],
      [440, cc1.erase()],
    ],
    [
      [50, cc3.popOn("Vimos una flor", "en el jard^n")],
      [120, cc3.erase()],
      [200, cc3.popOn("Hasta luego")],
      [300, cc3.erase()],
    ],
  ],
  packets: [
    ...service(1, 20, 110, "WE SAW A FLOWER", "in the garden"),
    ...service(1, 112, 130, "It was <yellow> & bright"),
    ...service(1, 150, 200, "Café near the river", "in spring"),
    ...service(1, 220, 350, "CAPTIONS THAT ROLL", "FOLLOW EACH OTHER", "UP THE SCREEN"),
    ...service(1, 380, 440, "The end"),
    ...service(2, 31, 121, "Nous avons vu une fleur", "dans le jardin"),
  ],
};

/** Subtitles of page 888 in German, and of page 889 for viewers who do not hear the sound. */
export const PAGES: TeletextScript = {
  entries: [
    [1, "100", "ger"],
    [2, "888", "ger"],
    [5, "889", "ger"],
  ],
  pes: [
    [1000, pageData(["Wir sahen eine Blume", "im Garten, gr}n"], { nationalOption: 1 })],
    [1500, pageData(["(Musik)", "Wir sahen eine Blume"], { page: "889", nationalOption: 1 })],
    [4000, pageData([], { nationalOption: 1 })],
    [4500, pageData([], { page: "889", nationalOption: 1 })],
    [6000, pageData(["Bis bald"], { nationalOption: 1 })],
    [9000, pageData([], { nationalOption: 1 })],
  ],
};
