import { flag, text, type Values } from "../../sdk/cli/terminal/command-line.ts";
import { UsageError } from "../../sdk/cli/terminal/usage-error.ts";

/** Which installation a command is for. */
export interface Target {
  /** The deployment on Cloudflare. */
  remote?: boolean;
  /** The data of `npm run dev` instead of that of `npm start`. */
  dev?: boolean;
  /** The deployment's settings, `sluice.config.json`. */
  config?: string;
}

/** The options of `npm run workspace`, `credential`, `search` and `data:move` that choose the installation. */
export const TARGET_OPTIONS = {
  remote: flag("of the deployment on Cloudflare, instead of the platform on this machine (npm start)"),
  dev: flag("of npm run dev"),
  config: text("FILE", "the deployment's settings (sluice.config.json)"),
};

/** @throws {UsageError} when the options exclude each other */
export function targetOf({ remote, dev, config }: Values<typeof TARGET_OPTIONS>): Target {
  if (remote && dev) throw new UsageError("--remote and --dev exclude each other.");
  return { remote, dev, ...(config === undefined ? {} : { config }) };
}

/** The installation in words, for messages. */
export const nameOf = ({ remote, dev }: Target): string =>
  remote ? "the deployment on Cloudflare" : `the data of ${dev ? "npm run dev" : "npm start"}`;

/** The options with which another command reaches the same installation, each with a space before it. */
export const optionsOf = ({ remote, dev, config }: Target): string =>
  [remote ? " --remote" : "", dev ? " --dev" : "", config === undefined ? "" : ` --config ${config}`].join("");

const MAX_NAME_LENGTH = 200;

/** @throws {UsageError} for a name that cannot be stored or printed */
export function checkName(name: string | undefined): void {
  if (name === undefined) return;
  if (name.trim() === "" || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    throw new UsageError(`A name has 1 to ${MAX_NAME_LENGTH} characters and no control characters.`);
}
