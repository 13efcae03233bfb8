import { expect, test } from "vitest";
import { timelineFigures } from "../../../src/analytics/views/timeline-figures.ts";

const event = (name: string, atMs: number, sequence: number) => ({ name, atMs, sequence, fields: {} });

test.each(["__defineGetter__", "constructor", "hasOwnProperty", "somethingNew"])(
  "an event of a player named %s changes no figure of its view",
  (name) => {
    const known = [event("play", 0, 1), event("playing", 500, 2), event("ended", 5500, 4)];
    const [first, second, last] = known;
    expect(timelineFigures([first!, second!, event(name, 1000, 3), last!], null)).toEqual(timelineFigures(known, null));
    expect(timelineFigures(known, null)).toMatchObject({ view_watch_time: 5500, view_time_to_first_frame: 500 });
  },
);
