/** Fetches a speech model into the container's image: `node fetch-model.ts URL FILE`. */
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

const [url = "", file = ""] = process.argv.slice(2);
const { ok, status, body } = await fetch(url);
if (!ok || body === null) throw new Error(`${url} answered with ${status}`);
await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file));
