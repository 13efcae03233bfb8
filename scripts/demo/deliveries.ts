import type { Platform } from "../local/platform.ts";
import { type Arrival, startReceiver } from "../webhooks/receiver.ts";
import { register, type Registration } from "../webhooks/registration.ts";
import { afterChangeMs } from "../webhooks/tell.ts";
import type { Moment } from "./journey.ts";

/** One webhook that has come to the demo's own receiver. */
export interface Delivery {
  kind: "delivery";
  type: string;
  objectId: string;
  eventId: string;
  /** From the change to its arrival. */
  afterChangeMs: number;
  verified: true;
}

/** Something that came without a good signature, or is no event. */
export interface RefusedDelivery {
  kind: "delivery_refused";
  why: string;
}

/** What an event tells of is told first by the journey: its delivery often comes sooner than the journey's next look. */
const TOLD_AFTER: Record<string, Moment["kind"]> = {
  "asset.created": "accepted",
  "asset.ready": "ready",
  "asset.errored": "failed",
};

/** A receiver and its webhook in the local workspace, for as long as the demo runs. */
export class Deliveries {
  private readonly show: (delivery: Delivery | RefusedDelivery) => void;
  private readonly waiting: Delivery[] = [];
  private readonly told = new Set<Moment["kind"]>();
  private mediaId = "";
  private onShown: () => void = () => undefined;
  private readonly shown = new Set<string>();
  private close: () => Promise<unknown> = async () => undefined;

  private constructor(show: Deliveries["show"]) {
    this.show = show;
  }

  /** @throws {RegistrationError} in words for a person */
  static async open(platform: Platform, show: Deliveries["show"]): Promise<Deliveries> {
    const deliveries = new Deliveries(show);
    const { promise: secrets, resolve } = Promise.withResolvers<readonly string[]>();
    const receiver = await startReceiver({ port: 0, secrets, onArrival: (arrival) => deliveries.arrive(arrival) });
    let webhook: Registration;
    try {
      webhook = await register(platform, { url: receiver.url, description: "npm run demo" });
    } catch (error) {
      await receiver.close();
      throw error;
    }
    resolve([webhook.secret]);
    deliveries.close = async () => {
      await webhook.remove();
      await receiver.close();
    };
    return deliveries;
  }

  /** The journey has told this much: deliveries that waited for it follow. */
  after(moment: Moment): void {
    if (moment.kind === "accepted") this.mediaId = moment.mediaId;
    this.told.add(moment.kind);
    for (const delivery of this.waiting.splice(0)) this.tell(delivery);
  }

  /** What is told of this thing is shown as it comes. */
  follow(objectId: string): void {
    this.mediaId = objectId;
    for (const delivery of this.waiting.splice(0)) this.tell(delivery);
  }

  /** Resolves once such a delivery is shown; false when the limit is over before. */
  async untilShown(types: string[], limitMs: number): Promise<boolean> {
    const isShown = () => types.some((type) => this.shown.has(type));
    let timer: NodeJS.Timeout | undefined;
    const arrived = new Promise<void>((done) => {
      this.onShown = () => isShown() && done();
      timer = setTimeout(done, limitMs);
      this.onShown();
    });
    await arrived;
    clearTimeout(timer);
    return isShown();
  }

  /** Ends the webhook, so that nothing is sent here any more. */
  async stop(): Promise<void> {
    await this.close();
  }

  private arrive(arrival: Arrival): void {
    if (arrival.kind === "refused") return this.show({ kind: "delivery_refused", why: arrival.why });
    if (arrival.kind !== "event" || arrival.isRepeat) return;
    const { at, event } = arrival;
    this.tell({
      kind: "delivery",
      type: event.type,
      objectId: event.object.id,
      eventId: event.event_id,
      afterChangeMs: afterChangeMs(at, event),
      verified: true, // what is not is refused
    });
  }

  private tell(delivery: Delivery): void {
    if (this.isAhead(delivery)) return void this.waiting.push(delivery);
    this.show(delivery);
    if (delivery.objectId === this.mediaId) this.shown.add(delivery.type);
    this.onShown();
  }

  private isAhead({ type, objectId }: Delivery): boolean {
    if (this.mediaId === "") return !this.told.has("failed");
    const moment = TOLD_AFTER[type];
    return objectId === this.mediaId && moment !== undefined && !this.told.has(moment);
  }
}
