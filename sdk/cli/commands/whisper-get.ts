import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { WHISPER_COLLECTION, WHISPER_MODELS } from "../../../protocol/whisper-models.ts";
import { defineCommand } from "../terminal/command.ts";
import { text } from "../terminal/command-line.ts";
import { Screen } from "../terminal/screen.ts";
import { sizeText } from "../terminal/units.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";

const MOST_BYTES = 4 * 2 ** 30;

async function run({ to, from }: { to: string | undefined; from: string | undefined }, name: string): Promise<number> {
  const sum = WHISPER_MODELS[name];
  if (sum === undefined)
    throw new UsageError(`There is no model "${name}": ${Object.keys(WHISPER_MODELS).join(", ")}.`);
  const file = resolve(to ?? `.sluice/models/ggml-${name}.bin`);
  if (await isThere(file)) {
    if ((await sumOf(file)) !== sum)
      throw new CommandError(`${file} is another file, or incomplete. Delete it, or give another path with --to.`);
  } else await fetchModel(`${(from ?? WHISPER_COLLECTION).replace(/\/+$/, "")}/ggml-${name}.bin`, file, sum);
  console.log(`\nStart the platform with it:\n\n  WHISPER_MODEL=${file} npm start`);
  return 0;
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

async function sumOf(file: string): Promise<string> {
  const hash = createHash("sha1");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** The file has its name only when it is whole and has the sum. @throws {CommandError} */
async function fetchModel(url: string, file: string, sum: string): Promise<void> {
  const part = `${file}.part`;
  await mkdir(dirname(file), { recursive: true });
  const response = await fetch(url).catch((error: Error) => {
    throw new CommandError(`${url} cannot be reached: ${error.message}.`);
  });
  if (!response.ok || response.body === null) throw new CommandError(`${url} answered with ${response.status}.`);
  const totalBytes = Number(response.headers.get("content-length") ?? 0);
  const screen = new Screen();
  const hash = createHash("sha1");
  const output = await open(part, "w");
  try {
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new CommandError(`${url} is larger than any model.`);
      hash.update(chunk);
      await output.write(chunk);
      if (totalBytes > 0)
        screen.bars([
          { name: "model", percent: (bytes / totalBytes) * 100, note: `${sizeText(bytes)} of ${sizeText(totalBytes)}` },
        ]);
    }
    if (hash.digest("hex") !== sum) throw new CommandError(`${url} is not this model: its sum differs.`);
    await rename(part, file);
    screen.step("Fetched", sizeText(bytes), file);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${url} could not be fetched: ${(error as Error).message}.`);
  } finally {
    await output.close();
    await rm(part, { force: true });
  }
}

export const whisperGet = defineCommand({
  name: "whisper get",
  summary: "fetches a speech model for the encoder",
  argument: "MODEL",
  about: `Fetches a speech model of Whisper for the encoder, and checks its sum: ${Object.keys(WHISPER_MODELS).join(", ")}.
base-q5_1 (60 MB) knows many languages; larger ones hear better and take longer.`,
  options: {
    to: text("FILE", "where it is stored (.sluice/models/ggml-MODEL.bin)"),
    from: text("URL", `the folder of the models (${WHISPER_COLLECTION})`),
  },
  run,
});
