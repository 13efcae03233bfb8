/**
 * Allow-list of decoders, by libav's names. libav has about five hundred, most of them for formats that no camera or editor has written for
 * decades, and each adds attack surface for hostile media.
 */
import { Codec, type Stream } from "node-av/lib";

const VIDEO =
  "h264 hevc vvc libdav1d vp8 vp9 mpeg1video mpeg2video mpeg4 msmpeg4v1 msmpeg4v2 msmpeg4 h263 h263i h263p flv vp6 vp6a vp6f " +
  "wmv1 wmv2 wmv3 vc1 theora mjpeg mjpegb prores dnxhd cfhd dvvideo jpeg2000 ffv1 huffyuv ffvhuff utvideo magicyuv lagarith " +
  "qtrle svq1 svq3 cinepak png hap rawvideo v210 v410 r210 yuv4";
const AUDIO =
  "aac aac_latm mp1 mp2 mp3float ac3 eac3 dca truehd mlp opus vorbis flac alac wavpack ape wmav1 wmav2 wmapro wmalossless wmavoice " +
  "amrnb amrwb gsm gsm_ms speex nellymoser qdm2 qdmc adpcm_ms adpcm_ima_wav adpcm_ima_qt adpcm_swf adpcm_yamaha g722 g726 g726le " +
  "pcm_alaw pcm_mulaw pcm_s8 pcm_u8 pcm_s8_planar pcm_s16le pcm_s16be pcm_s16le_planar pcm_s16be_planar pcm_u16le pcm_u16be pcm_s24le " +
  "pcm_s24be pcm_s24le_planar pcm_u24le pcm_u24be pcm_s32le pcm_s32be pcm_s32le_planar pcm_u32le pcm_u32be pcm_f32le pcm_f32be " +
  "pcm_f64le pcm_f64be pcm_dvd pcm_bluray pcm_lxf";
const ACCEPTED = new Set(`${VIDEO} ${AUDIO}`.split(" "));

/** For libav's option `codec_whitelist`, which also limits the decoders a demuxer opens to probe its streams. */
export const CODEC_WHITELIST = [...ACCEPTED].join(",");

/** @returns null when the stream's codec is unknown or not accepted */
export function decoderOf({ codecpar }: Stream): Codec | null {
  const codec = Codec.findDecoder(codecpar.codecId);
  return codec?.name != null && ACCEPTED.has(codec.name) ? codec : null;
}
