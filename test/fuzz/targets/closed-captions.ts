import * as fc from "fast-check";
import { captionLanguages } from "../../../protocol/media/captions/caption-services.ts";
import { CC_CODECS, ccDataOf } from "../../../protocol/media/captions/cc-data.ts";
import { ClosedCaptions } from "../../../protocol/media/captions/closed-captions.ts";
import { Teletext } from "../../../protocol/media/captions/teletext.ts";
import { BROADCAST, pictureTriplets } from "../../support/caption-script.ts";
import { annexB, captionTables, h264Sei } from "../../support/cc-writer.ts";
import { pageData } from "../../support/teletext-writer.ts";
import type { FuzzTarget } from "../target.ts";

const FRAMES = 480;
const pictures = Array.from({ length: FRAMES }, (_, frame) => annexB(h264Sei(pictureTriplets(BROADCAST, frame))));
const page = pageData(["A page", "of teletext"]);
const tables = captionTables([
  ["CC1", "eng"],
  [2, "fre"],
]);

/** Bytes of a valid file with some of them changed, or any bytes. */
const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 30 });
function damaged(bytes: Uint8Array, changes: [number, number][]): Uint8Array {
  const out = bytes.slice();
  for (const [at, value] of changes) out[at % out.length] = value;
  return out;
}

/** Everything that is neither markup which the writers of rows make (`rows.ts`) nor text. */
const FOREIGN = /<(?!\/?[iu]>|c\.(?:black|red|lime|yellow|blue|magenta|cyan)>|\/c>)|\0/;

/** Captions of any content give cues in order, within bounds. */
export default {
  name: "closed-captions",
  arbitrary: fc.record({
    first: fc.nat({ max: FRAMES - 1 }),
    changes: damage,
    bytes: fc.uint8Array({ maxLength: 4000 }),
    lengthBytes: fc.constantFrom(null, 1, 2, 4),
  }),
  run({ first, changes, bytes, lengthBytes }) {
    const last = new Map<string, number>();
    const check = (channel: string, startMs: number, endMs: number, text: string) => {
      if (!(endMs > startMs) || startMs < (last.get(channel) ?? 0))
        throw new Error(`a cue from ${startMs} to ${endMs}`);
      if (text === "" || text.length > 20_000 || FOREIGN.test(text)) throw new Error(`a cue of ${text}`);
      last.set(channel, startMs);
    };
    const captions = new ClosedCaptions((channel, { startMs, endMs, text }) => check(channel, startMs, endMs, text));
    for (const [n, picture] of pictures.slice(first, first + 60).entries())
      captions.push(ccDataOf("h264", damaged(picture, changes), null), n * 33);
    captions.push(bytes, 60 * 33);
    captions.end(10_000);
    const teletext = new Teletext(
      (number, { startMs, endMs, text }) => check(number, startMs, endMs, text),
      new Map([["888", "eng"]]),
    );
    for (const [n, data] of [damaged(page, changes), bytes, page].entries()) teletext.push(data, n * 40);
    teletext.end(10_000);
    for (const codec of CC_CODECS) ccDataOf(codec, bytes, lengthBytes);
    captionLanguages(damaged(Uint8Array.from([...tables, ...tables]), changes));
  },
} satisfies FuzzTarget<{ first: number; changes: [number, number][]; bytes: Uint8Array; lengthBytes: number | null }>;
