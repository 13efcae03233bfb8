/** Uncompressed pictures in the format YUV4MPEG2 (4:2:0, 8 bits), as VLC's video output `yuv` writes them. */

const STREAM = "YUV4MPEG2 ";
const FRAME = "FRAME";
const NEWLINE = 10;

/** Counts pictures in chunks of any size. The stream may begin anew with another picture size. */
export class PictureCounter {
  pictures = 0;
  /** Bytes of the header line that has begun. */
  #line: number[] = [];
  #pictureBytes = 0;
  /** Bytes that are still missing from the current picture; 0 = a header line follows. */
  #missing = 0;

  /** @throws {Error} when a line is neither the header of a stream nor that of a picture */
  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#missing === 0) this.#addToLine(chunk[at++]!);
      else {
        const taken = Math.min(this.#missing, chunk.length - at);
        this.#missing -= taken;
        at += taken;
        if (this.#missing === 0) this.pictures += 1;
      }
    }
  }

  #addToLine(byte: number): void {
    if (byte !== NEWLINE) return void this.#line.push(byte);
    const line = String.fromCharCode(...this.#line);
    this.#line = [];
    if (line.startsWith(STREAM)) this.#pictureBytes = pictureBytes(line);
    else if (line.startsWith(FRAME)) this.#missing = this.#pictureBytes;
    else throw new Error(`no header of YUV4MPEG2: ${line.slice(0, 100)}`);
  }
}

function pictureBytes(header: string): number {
  const [width, height] = ["W", "H"].map((name) => Number(new RegExp(` ${name}(\\d+)`).exec(header)?.[1]));
  if (!width || !height) throw new Error(`no picture size: ${header}`);
  return width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
}
