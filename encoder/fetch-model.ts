/** Fetches a speech model into the container's image, and checks its sum: `node fetch-model.ts NAME FILE [COLLECTION]`. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { WHISPER_COLLECTION, WHISPER_MODELS } from "../protocol/whisper-models.ts";

const [name = "", file = "", collection = WHISPER_COLLECTION] = process.argv.slice(2);
const url = `${collection}/ggml-${name}.bin`;
const answer = await fetch(url);
if (!answer.ok) throw new Error(`${url} answered with ${answer.status}`);
const bytes = new Uint8Array(await answer.arrayBuffer());
if (createHash("sha1").update(bytes).digest("hex") !== WHISPER_MODELS[name])
  throw new Error(`${url} is not the model ${name}: its sum differs`);
await writeFile(file, bytes);
