/** Tests FLV with several tracks (Enhanced RTMP v2, "multitrack"), in each of its packings, before a decoder gets it. */
import { Demuxer } from "node-av/api";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { describe, expect, test } from "vitest";
import { headOf, isFrame, tracksOf } from "../../encoder/gateway/source/flv-packets.ts";
import { SourceBuffer } from "../../encoder/gateway/source/source-buffer.ts";
import { broadcast, broadcastOf, chunksOf, H264 } from "../support/live.ts";
import { tagsOf } from "../support/flv.ts";

Log.setLevel(AV_LOG_QUIET);
const [SOUND, PICTURE] = [8, 9];
const MULTITRACK_SOUND = 0x95;
const uint24 = (value: number) => Buffer.of(value >> 16, (value >> 8) & 0xff, value & 0xff);

function tagOf(type: number, atMs: number, data: Buffer): Buffer {
  const header = Buffer.concat([Buffer.of(type), uint24(data.length), uint24(atMs), Buffer.alloc(4)]);
  const trailer = Buffer.alloc(4);
  trailer.writeUInt32BE(header.length + data.length);
  return Buffer.concat([header, data, trailer]);
}

/** AAC data of a plain tag as that of tracks: each packing of Enhanced RTMP v2. */
const PACKINGS: Record<string, (plain: Buffer, tracks: number[]) => Buffer[]> = {
  "a tag for each track": (plain, tracks) =>
    tracks.map((track) =>
      Buffer.concat([Buffer.of(MULTITRACK_SOUND, plain[1]!), Buffer.from("mp4a"), Buffer.of(track), plain.subarray(2)]),
    ),
  "one tag for all tracks": (plain, tracks) => [
    Buffer.concat([
      Buffer.of(MULTITRACK_SOUND, 0x10 | plain[1]!),
      Buffer.from("mp4a"),
      ...tracks.flatMap((track) => [Buffer.of(track), uint24(plain.length - 2), plain.subarray(2)]),
    ]),
  ],
  "one tag for all tracks and their codecs": (plain, tracks) => [
    Buffer.concat([
      Buffer.of(MULTITRACK_SOUND, 0x20 | plain[1]!),
      ...tracks.flatMap((track) => [
        Buffer.from("mp4a"),
        Buffer.of(track),
        uint24(plain.length - 2),
        plain.subarray(2),
      ]),
    ]),
  ],
};

const plain = () => broadcastOf(`$STRIP -t 4 ${H264} -c:a aac -f flv`);

/** The broadcast with further sounds, equal to its own. */
const withSounds = async (pack: (plain: Buffer, tracks: number[]) => Buffer[]) =>
  Buffer.concat(
    tagsOf(await plain()).flatMap(({ bytes, atMs }, n) => {
      if (n === 0 || bytes[0] !== SOUND) return [bytes];
      return [bytes, ...pack(bytes.subarray(11, -4), [1, 2]).map((data) => tagOf(SOUND, atMs, data))];
    }),
  );

/** What a decoder gets that replaces another one after so many bytes; from 0 on, what the first one gets. */
async function readFrom(flv: Buffer, bytes: number): Promise<Buffer> {
  const line = new SourceBuffer();
  const filled = line.fill(chunksOf(flv));
  if (bytes > 0) {
    const first = line.read();
    for (let read = 0; read < bytes;) read += ((await first.next()).value as Buffer).length;
  }
  const rest: Buffer[] = [];
  for await (const piece of line.read()) rest.push(piece);
  await filled;
  return Buffer.concat(rest);
}

/** Packets and whether the decoder is configured, by sound. */
async function soundsOf(flv: Buffer): Promise<{ packets: number; sampleRate: number }[]> {
  await using demuxer = await Demuxer.open(flv, { format: "flv" });
  const packets = new Map<number, number>();
  for await (const packet of demuxer.packets()) {
    if (packet === null) break;
    packets.set(packet.streamIndex, (packets.get(packet.streamIndex) ?? 0) + 1);
    packet.free();
  }
  const sounds = demuxer.streams.filter(({ codecpar }) => codecpar.sampleRate > 0);
  return sounds.map(({ index, codecpar }) => ({ packets: packets.get(index) ?? 0, sampleRate: codecpar.sampleRate }));
}

describe.each(Object.entries(PACKINGS))("sounds in %s", (_, pack) => {
  test("are read with their configurations, by a decoder that starts midway too", async () => {
    const flv = await withSounds(pack);
    const [own] = await soundsOf(await plain());
    expect(await soundsOf(await readFrom(flv, 0))).toEqual([own, own, own]);
    const behind = await soundsOf(await readFrom(flv, flv.length / 2));
    expect(behind.map(({ sampleRate }) => sampleRate)).toEqual(Array(3).fill(own!.sampleRate));
    for (const { packets } of behind) expect(Math.abs(packets / own!.packets - 0.5)).toBeLessThan(0.2);
  });
});

test("sounds of tracks become renditions", async () => {
  const line = new SourceBuffer();
  const filled = line.fill(chunksOf(await withSounds(PACKINGS["one tag for all tracks"]!)));
  const { started } = await broadcast(line.read());
  await filled;
  const sounds = started[0]!.renditions.filter(({ kind }) => kind === "audio");
  expect(sounds.map(({ name, sound }) => [name, sound?.languageCode])).toEqual([
    ["a1", undefined],
    ["a2", undefined],
    ["a3", undefined],
  ]);
});

test("a tag whose tracks make no sense, or that has too many, stays as it is", () => {
  const track = Buffer.concat([Buffer.of(1), uint24(2), Buffer.of(7, 7)]);
  const tag = (...tracks: Buffer[]) =>
    Buffer.concat([Buffer.of(MULTITRACK_SOUND, 0x11), Buffer.from("mp4a"), ...tracks]);
  expect(tracksOf(SOUND, tag(track, track))).toHaveLength(2);
  for (const data of [
    tag(),
    tag(track, Buffer.of(2, 0)),
    tag(track, Buffer.concat([Buffer.of(2), uint24(1000), Buffer.of(7)])),
    tag(...(Array(17).fill(track) as Buffer[])),
    Buffer.of(MULTITRACK_SOUND, 0x21, 0x6d),
    Buffer.of(MULTITRACK_SOUND),
    Buffer.of(0xaf, 1, 2),
  ])
    expect(tracksOf(SOUND, data)).toEqual([data]);
});

describe("configurations are told from frames:", () => {
  const text = (name: string) => Buffer.concat([Buffer.of(2, 0, name.length), Buffer.from(name)]);
  const fourcc = Buffer.from("mp4a");
  const CASES: [string, number, Buffer, string | null, boolean][] = [
    ["metadata", 18, text("onMetaData"), "1-metadata", false],
    ["other script data", 18, text("onTextData"), null, false],
    ["H.264", PICTURE, Buffer.of(0x17, 0), "2-video", false],
    ["a picture of H.264", PICTURE, Buffer.of(0x17, 1), null, true],
    ["the end of H.264", PICTURE, Buffer.of(0x17, 2), null, false],
    ["a picture of another codec", PICTURE, Buffer.of(0x12, 0), null, true],
    ["enhanced video", PICTURE, Buffer.of(0x90), "2-video", false],
    ["an enhanced picture", PICTURE, Buffer.of(0x93), null, true],
    ["colours of an enhanced picture", PICTURE, Buffer.of(0x94), null, false],
    ["AAC", SOUND, Buffer.of(0xaf, 0), "3-audio", false],
    ["AAC's sound", SOUND, Buffer.of(0xaf, 1), null, true],
    ["MP3's sound", SOUND, Buffer.of(0x2f, 0), null, true],
    ["enhanced audio", SOUND, Buffer.of(0x90), "3-audio", false],
    ["track 0", SOUND, Buffer.concat([Buffer.of(0x95, 0), fourcc, Buffer.of(0)]), "3-audio", false],
    ["track 3", SOUND, Buffer.concat([Buffer.of(0x95, 0), fourcc, Buffer.of(3)]), "3-audio-3", false],
    ["a picture's track 1", PICTURE, Buffer.concat([Buffer.of(0x96, 0), fourcc, Buffer.of(1)]), "2-video-1", false],
    ["sound of a track", SOUND, Buffer.concat([Buffer.of(0x95, 1), fourcc, Buffer.of(3)]), null, true],
    ["a track that is never encoded", SOUND, Buffer.concat([Buffer.of(0x95, 0), fourcc, Buffer.of(16)]), null, false],
    ["an empty tag", PICTURE, Buffer.alloc(0), null, true],
  ];
  test.each(CASES)("%s", (_, type, data, head, frame) => {
    expect([headOf(type, data), isFrame(type, data)]).toEqual([head, frame]);
  });
});
