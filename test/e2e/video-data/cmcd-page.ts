/** Runs in the browser: three players that report by CMCD as their documentation says, with nothing of ours. */
import * as dashjs from "dashjs";
import HlsPlayer from "hls.js";
import shaka from "shaka-player";

const EVENTS = ["ps", "e", "t", "bc"] as const;
const INTERVAL_SECONDS = 10;
/** What the reports say; the requests of media say nothing. */
const KEYS = ["sid", "sn", "ts", "e", "sta", "pt", "msd", "br", "dfa", "ec", "ltc", "sf", "st", "v", "mtp"] as const;

const video = document.createElement("video");
video.muted = true;
document.body.append(video);

export type CmcdPlayer = "hls.js" | "dash.js" | "shaka";

const LOADERS: Record<CmcdPlayer, (manifest: string, url: string) => Promise<unknown> | void> = {
  "hls.js": (manifest, url) => {
    const hls = new HlsPlayer({
      cmcd: {
        version: 2,
        includeKeys: [],
        eventTargets: [{ url, events: [...EVENTS], interval: INTERVAL_SECONDS, includeKeys: [...KEYS] }],
      },
    });
    hls.attachMedia(video);
    hls.loadSource(manifest);
  },
  "dash.js": (manifest, url) => {
    const player = dashjs.MediaPlayer().create();
    player.updateSettings({
      streaming: {
        cmcd: {
          enabled: true,
          version: 2,
          includeInRequests: [],
          eventTargets: [
            {
              enabled: true,
              url,
              events: [...EVENTS],
              interval: INTERVAL_SECONDS,
              enabledKeys: [...KEYS],
              includeInRequests: ["segment"],
            },
          ],
        },
      },
    });
    player.initialize(video, manifest.replace(".m3u8", ".mpd"), false);
  },
  shaka: async (manifest, url) => {
    const player = new shaka.Player();
    player.configure({
      cmcd: {
        enabled: true,
        version: 2,
        includeKeys: ["sid"],
        eventTargets: [
          {
            enabled: true,
            mode: "event",
            url,
            events: [...EVENTS],
            interval: INTERVAL_SECONDS,
            includeKeys: [...KEYS],
            useHeaders: false,
          },
        ],
      },
    });
    await player.attach(video);
    await player.load(manifest);
  },
};

const [player = "", manifest = "", reports = ""] = decodeURIComponent(location.hash.slice(1)).split(" ");
void LOADERS[player as CmcdPlayer](manifest, reports);
