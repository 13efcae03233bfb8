/** Runs in the browser: what the examples of docs/guides/video-data.md take from their page. `views.test.ts` runs the examples in it. */
import * as dashjs from "dashjs";
import HlsPlayer from "hls.js";
import shaka from "shaka-player";

export type CmcdPlayer = "hls.js" | "dash.js" | "shaka";

const video = document.createElement("video");
video.muted = true;
document.body.append(video);
Object.assign(window, { dashjs, Hls: HlsPlayer, shaka, video });
