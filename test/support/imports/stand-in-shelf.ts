import type { ListFaults } from "./stand-in-faults.ts";
import type { ServedVendor, StandIn } from "./stand-in.ts";
import { standInVideo, type StandInClip, type StandInVideo } from "./stand-in-library.ts";

/** The videos of a stand-in, newest first as platforms list them. */
export class Shelf {
  readonly videos = new Map<string, StandInVideo>();
  readonly lists: ListFaults = { circles: false, repeats: false };
  readonly #idOf: (number: number) => string;
  #next = 1;

  /** @param idOf an id in the vendor's form, for videos that are made by number */
  constructor(idOf: (number: number) => string) {
    this.#idOf = idOf;
  }

  add(...videos: StandInVideo[]): void {
    for (const video of videos) this.videos.set(video.id, video);
  }

  addMany(count: number, clip: StandInClip, over: (number: number) => Partial<StandInVideo> = () => ({})): string[] {
    return Array.from({ length: count }, () => {
      const number = this.#next++;
      const video = standInVideo(number, this.#idOf(number), clip, over(number));
      this.add(video);
      return video.id;
    });
  }

  newestFirst(): StandInVideo[] {
    return [...this.videos.values()].sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1));
  }
}

/** The part of `StandIn` that is the same for every vendor. */
export function standInOf(shelf: Shelf, served: ServedVendor, switched: () => string[] = () => []): StandIn {
  return {
    url: served.url,
    calls: served.calls,
    videos: shelf.videos,
    lists: shelf.lists,
    add: (...videos) => shelf.add(...videos),
    addMany: (count, clip, over) => shelf.addMany(count, clip, over),
    remove: (id) => void shelf.videos.delete(id),
    plant: (fault) => served.faults.plant(fault),
    heal: () => served.faults.heal(),
    switched,
    close: () => served.close(),
  };
}
