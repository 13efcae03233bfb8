/** Asks a running encoder for pictures. */
import type { ImageRequest, Transform } from "../../protocol/images.ts";
import { IMAGE_HEADER } from "../../protocol/images.ts";
import type { TestEncoder } from "./encoder.ts";

/** `SECRET` of the test encoder. */
const SECRET = "secret of the encoder tests: long enough";

export const sizedTo = (widthPx: number, heightPx: number): Transform => ({
  rotate: 0,
  flip: "none",
  scale: { widthPx, heightPx },
  crop: null,
  pad: null,
});

export async function askForImage(
  encoder: TestEncoder,
  request: ImageRequest | object,
  media: Buffer,
  isOurs = true,
): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const json = Buffer.from(JSON.stringify(request));
  const answer = await fetch(`${encoder.baseUrl}/images?media=${isOurs ? "ours" : "foreign"}`, {
    method: "POST",
    headers: { authorization: `Bearer ${SECRET}`, [IMAGE_HEADER]: String(json.length) },
    body: Buffer.concat([json, media]),
  });
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}
