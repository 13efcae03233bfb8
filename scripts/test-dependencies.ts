import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** What tests need beyond npm: a browser that plays H.264, an ffmpeg that makes sources and judges what we made, a cache to be a CDN, other players. */
const PACKAGES = [
  { name: "chromium", path: process.env.CHROMIUM ?? "/usr/bin/chromium", variable: "CHROMIUM" },
  { name: "ffmpeg", path: process.env.FFMPEG ?? "/usr/bin/ffmpeg", variable: "FFMPEG" },
  { name: "nginx", path: process.env.NGINX ?? "/usr/sbin/nginx", variable: "NGINX" },
  { name: "mpv", path: process.env.MPV ?? "/usr/bin/mpv", variable: "MPV" },
  // Without the windows of the package `vlc`.
  { name: "vlc-bin vlc-plugin-base", path: process.env.VLC ?? "/usr/bin/cvlc", variable: "VLC" },
];

/** Installs Debian's packages where that is possible, and says how to do it by hand where it is not. */
export async function installTestDependencies(): Promise<void> {
  const missing = PACKAGES.filter(({ path }) => !existsSync(path));
  if (missing.length === 0) return;
  const names = missing.flatMap(({ name }) => name.split(" "));
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    console.log(`Installing ${names.join(" and ")} for the tests …`);
    const options = {
      stdio: ["ignore", "ignore", "inherit"] as ("ignore" | "inherit")[],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], options);
  }
  const stillMissing = missing.filter(({ path }) => !existsSync(path));
  if (stillMissing.length === 0) return;
  const variables = stillMissing.map(({ variable }) => variable).join(" and ");
  console.error(
    `The tests need ${names.join(" and ")}. On Debian: sudo apt-get install ${names.join(" ")}. Elsewhere: install them and set ${variables}.`,
  );
  process.exit(1);
}
