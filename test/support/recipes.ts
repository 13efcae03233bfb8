/** Sources that one ffmpeg command makes, by name. */
import { AAC, args, FLOWER, FRIDAY, QUIET_X265, SMALL, x264 } from "./ffmpeg-words.ts";

export interface Source {
  description: string;
  extension: string;
  /** Arguments of ffmpeg up to the name of the output. */
  ffmpeg?: string[];
  /** Made from another source's bytes, or from nothing. */
  bytes?: () => Promise<Buffer>;
}

/** Most sources: two chunks of a second and a shorter one. */
const SECONDS = "2.4";

const inline = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString("base64")}`;
const ENGLISH = inline(
  "1\n00:00:00,500 --> 00:00:01,500\n{\\an8}<i>Why</i> & how\n\n2\n00:00:01,500 --> 00:00:02,500\nTwo\nlines <script>\n\n",
);
const ITALIAN = inline(
  "1\n00:00:00,500 --> 00:00:01,500\nPerché\n\n2\n00:00:02,000 --> 00:00:03,000\n<b>fiori</b>\n\n",
);
const GERMAN = inline("WEBVTT\n\n00:00.500 --> 00:01.500 line:0 align:start\n<v Anna>Warum\n\n");

export const RECIPES = {
  "mp4-index-at-end": {
    description: "MP4, moov behind mdat",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -c copy`,
  },
  "mp4-fast-start": {
    description: "MP4, moov first",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -c copy -movflags +faststart`,
  },
  "mp4-fragmented": {
    description: "MP4 in fragments, no duration in the moov",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -c copy -movflags frag_keyframe+empty_moov`,
  },
  mov: {
    description: "QuickTime, H.264 and PCM",
    extension: "mov",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL} ${x264()} -c:a pcm_s16le`,
  },
  mkv: {
    description: "Matroska, H.264 and AAC, times in milliseconds",
    extension: "mkv",
    ffmpeg: args`-i ${FLOWER} -c copy`,
  },
  "webm-vp8": {
    description: "WebM, VP8 and Vorbis",
    extension: "webm",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} -c:v libvpx -b:v 1M -deadline realtime -cpu-used 8 -c:a libvorbis`,
  },
  "webm-vp9": {
    description: "WebM, VP9 and Opus",
    extension: "webm",
    ffmpeg: args`-i ${FLOWER} -t ${SECONDS} -vf scale=320:180 -c:v libvpx-vp9 -b:v 1M -deadline realtime -cpu-used 8 -c:a libopus`,
  },
  "webm-live": {
    description: "WebM as a browser records it: no duration, no cues",
    extension: "webm",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} -c:v libvpx -b:v 1M -deadline realtime -cpu-used 8 -c:a libopus -f webm -live 1`,
  },
  ts: {
    description: "MPEG-TS, H.264 and AAC",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL} ${x264("-g", "45")} ${AAC}`,
  },
  avi: {
    description: "AVI, MPEG-4 part 2 with B-frames and MP3",
    extension: "avi",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} -c:v mpeg4 -bf 2 -q:v 2 -g 30 -c:a libmp3lame`,
  },
  "avi-magicyuv": {
    description: "AVI, lossless MagicYUV and PCM",
    extension: "avi",
    ffmpeg: args`-i ${FRIDAY} -t 1 -vf ${SMALL} -c:v magicyuv -pix_fmt yuv420p -c:a pcm_s16le`,
  },
  flv: {
    description: "FLV, H.264 and AAC",
    extension: "flv",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} ${x264()} ${AAC}`,
  },
  "hevc-8": {
    description: "HEVC 8 bit in MP4",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} ${QUIET_X265("keyint=30")} -tag:v hvc1 ${AAC}`,
  },
  "hevc-10": {
    description: "HEVC 10 bit in MPEG-TS",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} -pix_fmt yuv420p10le ${QUIET_X265("keyint=30")} ${AAC}`,
  },
  "hdr-pq": {
    description: "HEVC 10 bit, BT.2020 and PQ",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL},setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc -pix_fmt yuv420p10le ${QUIET_X265("keyint=30:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc")} -tag:v hvc1 ${AAC}`,
  },
  rotated: {
    description: "turned by metadata: lies on its side in the file",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -c copy -metadata:s:v rotate=90`,
  },
  "odd-size": {
    description: "VP8, 321×181",
    extension: "webm",
    ffmpeg: args`-i ${FLOWER} -t ${SECONDS} -vf scale=321:181,setsar=1 -an -c:v libvpx -b:v 1M -deadline realtime -cpu-used 8`,
  },
  "wide-pixels": {
    description: "PAL wide pixels: 180×144 shown as 256×144",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -t ${SECONDS} -vf scale=180:144,setsar=64/45 -an ${x264()}`,
  },
  vfr: {
    description: "frames left out at random: 10 to 30 a second",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL},select='not(between(mod(n\,7)\,2\,3))*not(eq(mod(n\,11)\,5))' -vsync vfr ${x264()} ${AAC}`,
  },
  "fps-59.94": {
    description: "60000/1001 frames a second",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL},fps=60000/1001 ${x264()} ${AAC}`,
  },
  "fps-120": {
    description: "120 frames a second",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t 2 -vf ${SMALL},fps=120 ${x264()} ${AAC}`,
  },
  interlaced: {
    description: "MPEG-2 in TS, 25 pictures of two fields",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL},fps=50,interlace=scan=tff -c:v mpeg2video -flags +ilme+ildct -top 1 -q:v 2 -bf 2 -c:a mp2`,
  },
  portrait: {
    description: "180×320",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -t ${SECONDS} -vf scale=320:180,transpose=1 ${x264()} ${AAC}`,
  },
  tiny: {
    description: "16×16",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf scale=16:16 ${x264()} ${AAC}`,
  },
  "late-start": {
    description: "MPEG-TS whose clock starts at one hour",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} ${x264("-g", "45")} ${AAC} -output_ts_offset 3600`,
  },
  "negative-start": {
    description: "MPEG-TS whose clock passes 0 after half a second",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} ${x264("-g", "45")} ${AAC} -muxdelay 0 -muxpreload 0 -mpegts_copyts 1 -avoid_negative_ts disabled -output_ts_offset -0.5`,
  },
  "edit-list": {
    description: "MP4 cut without encoding: an edit list hides the first half of a GOP",
    extension: "mp4",
    ffmpeg: args`-ss 1.5 -i ${FRIDAY} -t ${SECONDS} -c copy`,
  },
  "edit-list-delay": {
    description: "MP4 whose picture starts half a second after its sound (empty edit)",
    extension: "mp4",
    ffmpeg: args`-itsoffset 0.5 -i ${FRIDAY} -i ${FRIDAY} -map 0:v -map 1:a -c copy -t ${SECONDS}`,
  },
  "open-gop": {
    description: "H.264 with open GOPs in MPEG-TS",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} ${x264("-x264-params", "open-gop=1:keyint=25:min-keyint=25:scenecut=0:bframes=3:b-adapt=0")} ${AAC}`,
  },
  "open-gop-mpeg2": {
    description: "MPEG-2 with open GOPs in MP4",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t ${SECONDS} -vf ${SMALL} -c:v mpeg2video -bf 2 -g 12 -q:v 2 ${AAC}`,
  },
  "no-audio": {
    description: "picture alone",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -t ${SECONDS} -vf scale=320:180 -an ${x264()}`,
  },
  "audio-only": { description: "M4A", extension: "m4a", ffmpeg: args`-i ${FRIDAY} -vn -c:a copy` },
  mp3: {
    description: "MP3 with a cover picture",
    extension: "mp3",
    ffmpeg: args`-i ${FRIDAY} -i ${FLOWER} -map 0:a -map 1:v -frames:v 1 -c:v mjpeg -c:a libmp3lame -id3v2_version 3 -disposition:v attached_pic`,
  },
  languages: {
    description: "two audio tracks, English and French",
    extension: "mkv",
    ffmpeg: args`-i ${FRIDAY} -t 3 -filter_complex [0:a]asplit[en][fr0];[fr0]volume=0.25[fr] -map 0:v -map [en] -map [fr] -vf ${SMALL} ${x264()} ${AAC} -metadata:s:a:0 language=eng -metadata:s:a:1 language=fre -metadata:s:a:1 title=Commentaire -disposition:a:0 default -disposition:a:1 0`,
  },
  "audio-description": {
    description: "MPEG-TS with two audio tracks, the first of which describes the picture (`audio_type` 3)",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t 1 -map 0:v -map 0:a -map 0:a -vf ${SMALL} ${x264()} ${AAC} -metadata:s:a:0 language=eng -metadata:s:a:1 language=eng -disposition:a:0 visual_impaired`,
  },
  "subtitles-mkv": {
    description: "Matroska with subtitles: SubRip in English, ASS in Italian, WebVTT in German",
    extension: "mkv",
    ffmpeg: args`-i ${FRIDAY} -f srt -i ${ENGLISH} -f srt -i ${ITALIAN} -f webvtt -i ${GERMAN} -map 0:v -map 0:a -map 1 -map 2 -map 3 -t 3 -vf ${SMALL} ${x264()} ${AAC} -c:s:0 copy -c:s:1 ass -c:s:2 copy -metadata:s:s:0 language=eng -metadata:s:s:1 language=ita -metadata:s:s:1 title=Cartelli -metadata:s:s:2 language=ger -disposition:s:0 default -disposition:s:1 forced -disposition:s:2 hearing_impaired`,
  },
  "subtitles-mp4": {
    description: "MP4 of the demo clip with timed text in English and Italian",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -f srt -i ${ENGLISH} -f srt -i ${ITALIAN} -map 0:v -map 0:a -map 1 -map 2 -c:v copy -c:a copy -c:s mov_text -metadata:s:s:0 language=eng -metadata:s:s:1 language=ita -movflags +faststart`,
  },
  "surround-5.1": {
    description: "six channels of full scale",
    extension: "mkv",
    ffmpeg: args`-i ${FRIDAY} -f lavfi -i sine=440:sample_rate=48000,volume=18dB,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0 -map 0:v -map 1:a -t 3 -vf ${SMALL} ${x264()} -c:a ac3 -b:a 448k`,
  },
  "mono-22k": {
    description: "mono at 22.05 kHz",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL} ${x264()} ${AAC} -ac 1 -ar 22050`,
  },
  "audio-short": {
    description: "sound of one second below a picture of three",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL} ${x264()} -af atrim=0:1 ${AAC}`,
  },
  "audio-long": {
    description: "sound of four seconds beside a picture of two",
    extension: "mp4",
    ffmpeg: args`-i ${FRIDAY} -filter_complex [0:v]trim=0:2,${SMALL}[v];[0:a]atrim=0:4[a] -map [v] -map [a] ${x264()} ${AAC}`,
  },
  "audio-gap": {
    description: "sound with a hole of a second",
    extension: "mkv",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf ${SMALL} ${x264()} -af aselect='not(between(t,1,2))' -c:a pcm_s16le`,
  },
  "audio-late": {
    description: "sound that starts 0.7 s after the picture",
    extension: "mkv",
    ffmpeg: args`-i ${FRIDAY} -itsoffset 0.7 -i ${FRIDAY} -map 0:v -map 1:a -t 3 -vf ${SMALL} ${x264()} -c:a pcm_s16le`,
  },
  "cover-track": {
    description:
      "MP4 whose cover picture is a video track without a mark, larger than the film, and enabled in its place",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -i ${FRIDAY} -map 0:v -map 1:v -t 1 -filter:v:0 trim=end_frame=1 -c:v:0 mjpeg -filter:v:1 ${SMALL} -c:v:1 libx264 -preset veryfast -threads 1`,
  },
  "cover-track-ts": {
    description: "MPEG-TS with a still picture, larger than the film, in front of it",
    extension: "ts",
    ffmpeg: args`-i ${FLOWER} -i ${FRIDAY} -map 0:v -map 1:v -t 1 -filter:v:0 trim=end_frame=1 -c:v:0 mpeg2video -filter:v:1 ${SMALL} -c:v:1 libx264 -preset veryfast -threads 1`,
  },
  "disabled-track": {
    description: "QuickTime with two films: the larger one is disabled",
    extension: "mov",
    ffmpeg: args`-i ${FRIDAY} -i ${FLOWER} -map 0:v -map 1:v -t 1 -filter:v:0 ${SMALL} -c:v libx264 -preset veryfast -threads 1 -disposition:v:0 default -disposition:v:1 0`,
  },
  "ac3-stereo": {
    description: "a second of sound alone in MPEG-TS, stereo",
    extension: "ts",
    ffmpeg: args`-f lavfi -i sine=440:duration=1:sample_rate=48000 -ac 2 -c:a ac3 -muxdelay 0 -muxpreload 0`,
  },
  "ac3-surround": {
    description: "the next second, with six channels",
    extension: "ts",
    ffmpeg: args`-f lavfi -i sine=440:duration=1:sample_rate=48000,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0 -c:a ac3 -b:a 448k -muxdelay 0 -muxpreload 0 -output_ts_offset 1`,
  },
  "ac3-slow": {
    description: "the second after it, mono at 44.1 kHz",
    extension: "ts",
    ffmpeg: args`-f lavfi -i sine=440:duration=1:sample_rate=44100 -ac 1 -c:a ac3 -muxdelay 0 -muxpreload 0 -output_ts_offset 2`,
  },
  "one-frame": {
    description: "one frame",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -frames:v 1 -an -vf scale=320:180 ${x264()}`,
  },
  "raw-avi": {
    description: "AVI of three pictures that are not compressed",
    extension: "avi",
    ffmpeg: args`-i ${FLOWER} -frames:v 3 -an -vf scale=64:64 -c:v rawvideo -pix_fmt yuv420p`,
  },
  "ts-larger": {
    description: "the same as ts, larger, later",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t 3 -vf scale=480:360 ${x264()} ${AAC} -output_ts_offset 3`,
  },
  "ts-tall": {
    description: "a second of MPEG-TS, upright, behind ts",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t 1 -vf scale=240:320,setsar=1 ${x264()} ${AAC} -output_ts_offset 3`,
  },
  "ts-wide-pixels": {
    description: "a second of MPEG-TS whose pixels are wider than those of ts, behind ts-tall",
    extension: "ts",
    ffmpeg: args`-i ${FRIDAY} -t 1 -vf ${SMALL},setsar=4/3 ${x264()} ${AAC} -output_ts_offset 4`,
  },
} satisfies Record<string, Source>;
