import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", linux: "xdg-open" };

/** Opens a page in the user's browser if there is a desktop; otherwise does nothing. */
export function openPage(url: string): void {
  const { platform, env, stdout } = process;
  const opener = OPENERS[platform];
  const hasScreen = platform === "darwin" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  if (opener === undefined || !hasScreen || !stdout.isTTY) return;
  spawn(opener, [url], { stdio: "ignore", detached: true })
    .on("error", () => {}) // the address is printed too
    .unref();
}
