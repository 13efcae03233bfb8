/** What an old address asks for, whichever platform it is of. */
export type Resource =
  | { kind: "hls" }
  | { kind: "dash" }
  | { kind: "still"; format: "jpg" | "png" | "webp" }
  | { kind: "clip"; format: "gif" | "webp" }
  | { kind: "sheet"; as: "jpg" | "json" | "vtt" }
  | { kind: "page" }
  | { kind: "mp4" }
  | { kind: "sound" };
