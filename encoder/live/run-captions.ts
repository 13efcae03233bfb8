/** What the source's captions show during a run, by output frame, and the cues of each part. Bounded against hostile captions. Pure. */
import type { Fraction } from "../../protocol/source-facts.ts";
import { MAX_LIVE_CAPTION_LENGTH, type PartCaptions } from "../../protocol/live.ts";
import type { CaptionScreen } from "./caption-screens.ts";

/** Text that replaces other text is shown at the earliest after this time. Roll-up and paint-on captions otherwise change with every picture. */
const LEAST_SECONDS = 0.2;
/** Every channel may use this many characters at once, and as many per second. A change costs its text and `CHANGE_COST`. */
const MAX_ALLOWANCE = 4000;
const ALLOWANCE_PER_SECOND = 2000;
const CHANGE_COST = 40;
/** Rungs are cut some pictures after the newest one. Older changes are not needed. */
const KEPT_SECONDS = 10;
/** The JSON of a part's captions, in UTF-16 code units. Each needs at most 3 bytes, and the Worker accepts `MAX_CAPTIONS_BYTES`. */
const MAX_JSON_LENGTH = 40_000;

type Labels = Pick<CaptionScreen, "language" | "isSubtitle">;
type Content = Omit<CaptionScreen, "channel" | keyof Labels>;
const EMPTY: Content = { text: "", settings: "" };

interface Channel {
  /** In ascending order of their frames. The screen is empty before the first. */
  changes: (Content & { frame: number })[];
  labels: Labels;
  allowance: number;
  /** Frame of the last update of `allowance`. */
  atFrame: number;
}

export class RunCaptions {
  readonly #channels = new Map<string, Channel>();

  /** Records what is shown from this frame on. Frames must ascend; channels that are left out keep their text. */
  show(frame: number, screens: readonly CaptionScreen[], { num, den }: Fraction): void {
    const framesPerSecond = num / den;
    for (const { channel: name, text, settings, ...labels } of screens) {
      const content = { text, settings };
      const known = this.#channels.get(name);
      if (known === undefined && text === "") continue;
      const channel = known ?? { changes: [], labels, allowance: MAX_ALLOWANCE, atFrame: frame };
      this.#channels.set(name, channel);
      change(channel, frame, content, framesPerSecond);
    }
  }

  /** The cues of the frames from `from` to before `to`, without channels that show nothing. @param msOf start of a frame */
  between(from: number, to: number, msOf: (frame: number) => number): PartCaptions {
    if (this.#channels.size === 0) return [];
    const found: PartCaptions = [];
    for (const [channel, { changes, labels }] of this.#channels) {
      const cues = changes.flatMap(({ frame, text, settings }, n) => {
        const [begin, end] = [Math.max(from, frame), Math.min(to, changes[n + 1]?.frame ?? to)];
        return text === "" || begin >= end ? [] : [{ startMs: msOf(begin), endMs: msOf(end), settings, text }];
      });
      if (cues.length > 0) found.push({ channel, ...labels, cues });
    }
    while (found.length > 0 && JSON.stringify(found).length > MAX_JSON_LENGTH) found.pop();
    return found;
  }
}

function change(channel: Channel, frame: number, { text: shown, settings }: Content, framesPerSecond: number): void {
  const { changes } = channel;
  const seconds = (frame - channel.atFrame) / framesPerSecond;
  channel.allowance = Math.min(MAX_ALLOWANCE, channel.allowance + seconds * ALLOWANCE_PER_SECOND);
  channel.atFrame = frame;
  const last = changes.at(-1) ?? { ...EMPTY, frame: -Infinity };
  const text = shown.length > MAX_LIVE_CAPTION_LENGTH ? "" : shown;
  if (text === last.text && (text === "" || settings === last.settings)) return;
  const isEarly = text !== "" && last.text !== "" && frame - last.frame < LEAST_SECONDS * framesPerSecond;
  const cost = text.length + CHANGE_COST;
  if (isEarly || cost > channel.allowance) return;
  channel.allowance -= cost;
  changes.push({ frame, text, settings });
  const oldest = frame - KEPT_SECONDS * framesPerSecond;
  while (changes.length > 1 && changes[1]!.frame <= oldest) changes.shift();
}
