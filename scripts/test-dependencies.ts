import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findTestBrowser, SHELL } from "./demo/find-browser.ts";

const GSTREAMER_PLUGINS = ["base", "good", "bad", "ugly"].map((set) => `gstreamer1.0-plugins-${set}`);

interface Program {
  packages: string[];
  path: string;
  /** Environment variable with another path. */
  variable: string;
  /** Path of a slower substitute. */
  substitute?: string | undefined;
}

/**
 * The programs that tests need beyond npm: a browser that plays H.264, an ffmpeg that makes sources and checks our output, a cache that acts as
 * a CDN, a voice, and native players.
 */
const PROGRAMS: Program[] = [
  {
    packages: ["chromium-headless-shell"],
    path: process.env.CHROMIUM || SHELL,
    variable: "CHROMIUM",
    substitute: findTestBrowser(), // a page takes a second more of CPU time in the full browser
  },
  { packages: ["ffmpeg"], path: process.env.FFMPEG ?? "/usr/bin/ffmpeg", variable: "FFMPEG" },
  { packages: ["nginx"], path: process.env.NGINX ?? "/usr/sbin/nginx", variable: "NGINX" },
  { packages: ["mpv"], path: process.env.MPV ?? "/usr/bin/mpv", variable: "MPV" },
  { packages: ["flite"], path: process.env.FLITE ?? "/usr/bin/flite", variable: "FLITE" },
  // Without the graphical interface of the package `vlc`.
  { packages: ["vlc-bin", "vlc-plugin-base"], path: process.env.VLC ?? "/usr/bin/vlc", variable: "VLC" },
  {
    packages: ["gstreamer1.0-tools", ...GSTREAMER_PLUGINS, "gstreamer1.0-libav"],
    path: process.env.GST_LAUNCH ?? "/usr/bin/gst-launch-1.0",
    variable: "GST_LAUNCH",
  },
];

/** Installs Debian's packages where possible; otherwise prints how to install them by hand. */
export async function installTestDependencies(): Promise<void> {
  const missing = PROGRAMS.filter(({ path }) => !existsSync(path));
  if (missing.length === 0) return;
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) install(missing);
  const stillMissing = missing.filter(({ path, substitute }) => !existsSync(path) && substitute === undefined);
  if (stillMissing.length === 0) return;
  const variables = stillMissing.map(({ variable }) => variable);
  const all = packagesOf(stillMissing).join(" ");
  console.error(
    `The tests need Debian's packages ${all}. On Debian: sudo apt-get install ${all}. Elsewhere: install them and set ${variables.join(" and ")}.`,
  );
  process.exit(1);
}

const packagesOf = (programs: Program[]) => programs.flatMap(({ packages }) => packages);

function install(programs: Program[]): void {
  console.log(`Installing ${packagesOf(programs).join(", ")} for the tests …`);
  const options = {
    stdio: ["ignore", "ignore", "inherit"] as ("ignore" | "inherit")[],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update", "-qq"], options);
  // One at a time: apt-get installs nothing if one of the packages does not exist, as in other distributions.
  for (const group of [
    programs.filter(({ substitute }) => substitute === undefined),
    programs.filter(({ substitute }) => substitute !== undefined),
  ])
    if (group.length > 0)
      spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packagesOf(group)], options);
}
