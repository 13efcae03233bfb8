/** A source with a white picture and a tone at each whole second, and the measured offset between them in the output. */
import { fileOf, type Made } from "./live.ts";
import { decodePictures, decodeSound } from "./rendition.ts";

const FRAME_RATE = 30;
/** Louder than encoded silence. */
const AUDIBLE = 0.05;
const WHITE = 150;

/** ffmpeg's words for the source and its codecs; the muxer and the address follow. */
export const flashAndBeep = (seconds: number): string[] => [
  "-f",
  "lavfi",
  "-i",
  `color=black:size=160x90:rate=${FRAME_RATE},drawbox=c=white:t=fill:enable='lt(mod(t,1),0.2)'`,
  "-f",
  "lavfi",
  "-i",
  "aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.1)':s=48000:c=mono",
  ...`-t ${seconds} -c:v libx264 -preset ultrafast -g ${FRAME_RATE} -bf 0 -pix_fmt yuv420p -c:a aac -b:a 64k`.split(
    " ",
  ),
];

/** For each flash: seconds from it to the beep nearest to it. */
export async function beepsBehindFlashes(made: Omit<Made, "end">, version = 0): Promise<number[]> {
  const rung = made.started[0]!.renditions.findLast(({ kind }) => kind === "video")!;
  const pictures = await decodePictures(fileOf(made, rung.name, version));
  const sound = await decodeSound(fileOf(made, "a1", version));
  const isWhite = pictures.map(({ luma }) => luma.reduce((sum, value) => sum + value, 0) / luma.length > WHITE);
  const flashes = pictures.filter((_, i) => isWhite[i]! && !(isWhite[i - 1] ?? false)).map((one) => one.timeSeconds);
  const beeps: number[] = [];
  let lastLoud = -Infinity;
  for (const [i, sample] of sound.samples.entries()) {
    if (Math.abs(sample) < AUDIBLE) continue;
    if (i - lastLoud > sound.sampleRateHz / 2) beeps.push(sound.startSeconds + i / sound.sampleRateHz);
    lastLoud = i;
  }
  const behind = (flash: number) => beeps.map((beep) => beep - flash);
  return flashes.map((flash) => behind(flash).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? Number.NaN);
}
