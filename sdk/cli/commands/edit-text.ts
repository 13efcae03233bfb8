import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError, type Sluice } from "../../index.ts";
import type { Reporter } from "../terminal/reporter.ts";
import { CommandError } from "../terminal/usage-error.ts";

/**
 * Opens the text of a subtitle track in the user's editor, and saves what has changed. A text that could not be saved is kept in its file.
 *
 * @throws {CommandError}
 */
export async function editText(
  sluice: Sluice,
  track: { mediaId: string; trackId: string },
  reporter: Reporter,
): Promise<void> {
  const editor = process.env["VISUAL"] ?? process.env["EDITOR"] ?? "";
  if (editor === "") throw new CommandError("No editor is set: set EDITOR, for example to nano.");
  const { text, etag } = await sluice.readSubtitleText(track);
  const folder = await mkdtemp(join(tmpdir(), "sluice-captions-"));
  const file = join(folder, `${track.trackId}.vtt`);
  await writeFile(file, text, { mode: 0o600 });
  await open(editor, file);
  const edited = await readFile(file, "utf8");
  if (edited !== text) await save(edited, file);
  await rm(folder, { recursive: true });
  reporter.say({ kind: "saved", isChanged: edited !== text }, (screen) =>
    screen.step(edited === text ? "Unchanged" : "Saved", ""),
  );

  async function save(changed: string, path: string): Promise<void> {
    try {
      await sluice.replaceSubtitleText(track, { text: changed, etag });
    } catch (error) {
      throw new CommandError(`${whyNot(error)}. Your text is in ${path}.`);
    }
  }
}

function whyNot(error: unknown): string {
  if (!(error instanceof ApiError)) return `The text was not saved: ${(error as Error).message.replace(/\.$/, "")}`;
  if (error.status === 412) return "Somebody else has changed the text meanwhile";
  return (error.fields[0]?.message ?? error.message).replace(/\.$/, "");
}

/** The editor may have arguments of its own, as in `code --wait`. @throws {CommandError} */
async function open(editor: string, file: string): Promise<void> {
  const [command = "", ...args] = editor.split(" ").filter((word) => word !== "");
  const child = spawn(command, [...args, file], { stdio: "inherit" });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new CommandError(`The editor ended with status ${code}. Your text is in ${file}.`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The editor "${editor}" cannot be started: ${(error as Error).message}.`);
  }
}
