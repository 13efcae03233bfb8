import { apiVideoSource } from "../../../src/imports/sources/api-video.ts";
import { API_VIDEO_KEY, startApiVideoStandIn } from "../../support/imports/api-video-stand-in.ts";
import { describeSource } from "./suite.ts";

const WRONG_KEY = "wRoNgKeY0123456789abcdefghijklmnopqrstuvwxyz";

describeSource("api.video", {
  definition: apiVideoSource,
  options: { sandbox: false },
  makeStandIn: startApiVideoStandIn,
  good: { apiKey: API_VIDEO_KEY },
  wrong: { apiKey: WRONG_KEY },
  half: null,
  secrets: [API_VIDEO_KEY, WRONG_KEY],
  listCall: /^GET \/videos$/,
  resolveCall: /^GET \/videos\/[^/]+$/,
  necessaryField: "videoId",
  keeps: ["title", "createdAt"],
  policies: ["public", "private"],
  waits: false,
  hasCaptions: true,
});
