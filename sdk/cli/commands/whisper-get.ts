import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { defineCommand } from "../terminal/command.ts";
import { text } from "../terminal/command-line.ts";
import { Screen } from "../terminal/screen.ts";
import { sizeText } from "../terminal/units.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";

/** Models in ggml's format with their SHA-1 sums, as whisper.cpp publishes them (the page of its models, November 2026). */
const MODELS: Readonly<Record<string, string>> = {
  tiny: "bd577a113a864445d4c299885e0cb97d4ba92b5f",
  "tiny-q5_1": "2827a03e495b1ed3048ef28a6a4620537db4ee51",
  base: "465707469ff3a37a2b9b8d8f89f2f99de7299dac",
  "base-q5_1": "a3733eda680ef76256db5fc5dd9de8629e62c5e7",
  small: "55356645c2b361a969dfd0ef2c5a50d530afd8d5",
  "small-q5_1": "6fe57ddcfdd1c6b07cdcc73aaf620810ce5fc771",
  medium: "fd9727b6e1217c2f614f9b698455c4ffd82463b4",
  "large-v3-turbo": "4af2b29d7ec73d781377bfd1758ca957a807e941",
  "large-v3-turbo-q5_0": "e050f7970618a659205450ad97eb95a18d69c9ee",
};
const COLLECTION = "https://huggingface.co/ggerganov/whisper.cpp/resolve/main";
const MOST_BYTES = 4 * 2 ** 30;

async function run({ to, from }: { to: string | undefined; from: string | undefined }, name: string): Promise<number> {
  const sum = MODELS[name];
  if (sum === undefined) throw new UsageError(`There is no model "${name}": ${Object.keys(MODELS).join(", ")}.`);
  const file = resolve(to ?? `.sluice/models/ggml-${name}.bin`);
  if (await isThere(file)) {
    if ((await sumOf(file)) !== sum)
      throw new CommandError(`${file} is another file, or incomplete. Delete it, or give another path with --to.`);
  } else await fetchModel(`${(from ?? COLLECTION).replace(/\/+$/, "")}/ggml-${name}.bin`, file, sum);
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
  about: `Fetches a speech model of Whisper for the encoder, and checks its sum: ${Object.keys(MODELS).join(", ")}.
base-q5_1 (60 MB) knows many languages; larger ones hear better and take longer.`,
  options: {
    to: text("FILE", "where it is stored (.sluice/models/ggml-MODEL.bin)"),
    from: text("URL", `the folder of the models (${COLLECTION})`),
  },
  run,
});
