import { vimeoSource } from "../../../src/imports/sources/vimeo.ts";
import { startVimeoStandIn, VIMEO_HALF_TOKEN, VIMEO_TOKEN } from "../../support/imports/vimeo-stand-in.ts";
import { describeSource } from "./suite.ts";

const WRONG_TOKEN = "deadbeefdeadbeefdeadbeefdeadbeef";

describeSource("Vimeo", {
  definition: vimeoSource,
  options: {},
  makeStandIn: startVimeoStandIn,
  good: { accessToken: VIMEO_TOKEN },
  wrong: { accessToken: WRONG_TOKEN },
  half: { credentials: { accessToken: VIMEO_HALF_TOKEN }, permission: /^video_files$/, isRequired: true },
  secrets: [VIMEO_TOKEN, VIMEO_HALF_TOKEN, WRONG_TOKEN],
  listCall: /^GET \/me\/videos$/,
  resolveCall: /^GET \/videos\/\d+$/,
  necessaryField: "uri",
  keeps: ["title", "createdAt", "durationMs", "dimensions"],
  policies: ["public", "private"],
  waits: false,
  hasCaptions: true,
});
