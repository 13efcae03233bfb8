/** Sound of which each channel is a stream of its own, as in MXF. */
import type { SourceAudio } from "../../protocol/source-facts.ts";

/**
 * Pairs mono streams that follow each other: 1+2, 3+4, … A stream without a partner stays mono, and streams of different languages or rates are no
 * pair. Pure.
 */
export function pairedSounds<Sound extends Omit<SourceAudio, "startMs" | "durationMs">>(sounds: Sound[]): Sound[] {
  const monos = sounds.filter(({ channels }) => channels === 1);
  const result: Sound[] = [];
  for (let at = 0; at < sounds.length; at++) {
    const [left, right] = [sounds[at]!, sounds[at + 1]];
    if (right === undefined || !areChannels(left, right)) {
      result.push(left);
      continue;
    }
    const title = monos.length > 2 && left.title === "" ? `Channels ${at + 1}+${at + 2}` : left.title;
    result.push({ ...left, channels: 2, title, rightStreamIndex: right.streamIndex });
    at++;
  }
  return result;
}

type Labels = Pick<SourceAudio, "channels" | "sampleRateHz" | "languageCode" | "title">;

const areChannels = (left: Labels, right: Labels) =>
  left.channels === 1 &&
  right.channels === 1 &&
  left.sampleRateHz === right.sampleRateHz &&
  left.languageCode === right.languageCode &&
  left.title === right.title;
