import { ByteWriter } from "./byte-writer.ts";

/** The track properties that an init segment declares. */
export type TrackFormat =
  | { kind: "video"; timescale: number; widthPx: number; heightPx: number; avcC: Uint8Array; colr: Uint8Array | null }
  | { kind: "audio"; timescale: number; sampleRateHz: number; channels: number; audioSpecificConfig: Uint8Array };

const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** A CMAF init segment (ISO/IEC 23000-19 §7.3.1): one track, no samples, no edit list, so time starts at 0. */
export function writeInitSegment(format: TrackFormat): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(1024);
  out.box("ftyp", () => {
    out.text("cmfc");
    out.u32(0);
    out.text("iso6cmfcmp41");
  });
  out.box("moov", () => {
    out.fullBox("mvhd", 0, 0, () => {
      out.zeros(8);
      out.u32(1000);
      out.u32(0);
      out.u32(0x10000);
      out.u16(0x100);
      out.zeros(10);
      for (const value of IDENTITY) out.u32(value);
      out.zeros(24);
      out.u32(2);
    });
    out.box("trak", () => writeTrack(out, format));
    out.box("mvex", () =>
      out.fullBox("trex", 0, 0, () => {
        out.u32(1);
        out.u32(1);
        out.zeros(12);
      }),
    );
  });
  return out.written().slice();
}

function writeTrack(out: ByteWriter, format: TrackFormat) {
  out.fullBox("tkhd", 0, 7, () => {
    out.zeros(8);
    out.u32(1);
    out.zeros(20);
    out.u16(format.kind === "audio" ? 1 : 0); // alternate group
    out.u16(format.kind === "audio" ? 0x100 : 0);
    out.u16(0);
    for (const value of IDENTITY) out.u32(value);
    out.u32(format.kind === "video" ? format.widthPx * 65536 : 0);
    out.u32(format.kind === "video" ? format.heightPx * 65536 : 0);
  });
  out.box("mdia", () => {
    out.fullBox("mdhd", 0, 0, () => {
      out.zeros(8);
      out.u32(format.timescale);
      out.u32(0);
      out.u16(0x55c4); // "und": manifests declare the language
      out.u16(0);
    });
    out.fullBox("hdlr", 0, 0, () => {
      out.u32(0);
      out.text(format.kind === "video" ? "vide" : "soun");
      out.zeros(13);
    });
    out.box("minf", () => {
      if (format.kind === "video") out.fullBox("vmhd", 0, 1, () => out.zeros(8));
      else out.fullBox("smhd", 0, 0, () => out.zeros(4));
      out.box("dinf", () =>
        out.fullBox("dref", 0, 0, () => {
          out.u32(1);
          out.fullBox("url ", 0, 1, () => undefined);
        }),
      );
      out.box("stbl", () => {
        out.fullBox("stsd", 0, 0, () => {
          out.u32(1);
          if (format.kind === "video") writeAvc1(out, format);
          else writeMp4a(out, format);
        });
        for (const type of ["stts", "stsc", "stco"]) out.fullBox(type, 0, 0, () => out.u32(0));
        out.fullBox("stsz", 0, 0, () => out.zeros(8));
      });
    });
  });
}

function writeAvc1(out: ByteWriter, format: TrackFormat & { kind: "video" }) {
  out.box("avc1", () => {
    out.zeros(6);
    out.u16(1);
    out.zeros(16);
    out.u16(format.widthPx);
    out.u16(format.heightPx);
    out.u32(0x480000);
    out.u32(0x480000);
    out.u32(0);
    out.u16(1);
    out.zeros(32);
    out.u16(24);
    out.u16(0xffff);
    out.box("avcC", () => out.raw(format.avcC));
    const { colr } = format;
    if (colr) out.box("colr", () => out.raw(colr));
  });
}

function writeMp4a(out: ByteWriter, format: TrackFormat & { kind: "audio" }) {
  out.box("mp4a", () => {
    out.zeros(6);
    out.u16(1);
    out.zeros(8);
    out.u16(format.channels);
    out.u16(16);
    out.u32(0);
    out.u16(format.sampleRateHz);
    out.u16(0);
    out.fullBox("esds", 0, 0, () => {
      const config = format.audioSpecificConfig;
      out.raw(Uint8Array.of(0x03, 3 + 2 + 13 + 2 + config.length + 3, 0, 0, 0));
      out.raw(Uint8Array.of(0x04, 13 + 2 + config.length, 0x40, 0x15, 0, 0, 0));
      out.zeros(8); // bit rates: unspecified
      out.raw(Uint8Array.of(0x05, config.length));
      out.raw(config);
      out.raw(Uint8Array.of(0x06, 1, 2));
    });
  });
}
