import { madeFile } from "../../support/made.ts";

/** 15 s in four segments. */
export const loopedFilm = () =>
  madeFile(["-stream_loop", "2", "-i", "test/fixtures/flower.mp4", "-c", "copy", "-movflags", "+faststart"], "mp4");
