import { Sluice } from "../../sdk/index.ts";
import type { Platform } from "../local/platform.ts";
import { type Arrival, startReceiver } from "../../sdk/cli/webhooks/receiver.ts";
import { register, type Registration } from "../../sdk/cli/webhooks/registration.ts";
import { afterChangeMs } from "../../sdk/cli/webhooks/arrival-format.ts";
import type { Moment } from "./journey.ts";

/** One verified delivery to the demo's receiver. */
export interface Delivery {
  kind: "delivery";
  type: string;
  objectId: string;
  eventId: string;
  /** The delivery is about another object than the demo's, such as one of an earlier run. */
  isOther: boolean;
  /** Time from the change to the delivery's arrival. */
  afterChangeMs: number;
  verified: true;
  /** Renditions of a broadcast that the encoder has stopped making because it cannot keep up. */
  droppedRungs?: string[];
}

/** A request without a valid signature, or without an event. */
export interface RefusedDelivery {
  kind: "delivery_refused";
  why: string;
}

/** The progress event that is shown before a delivery. Deliveries often arrive before the demo's next poll. */
const SHOWN_AFTER: Record<string, Moment["kind"]> = {
  "asset.created": "accepted",
  "asset.ready": "ready",
  "asset.errored": "failed",
};

/** The object of a playback event is a view, of the demo's own play or the user's. */
const isOfPlay = ({ type }: Pick<Delivery, "type">) => type.startsWith("playback.");

/** A receiver and its webhook in the local workspace, for the duration of the demo. */
export class Deliveries {
  private readonly show: (delivery: Delivery | RefusedDelivery) => void;
  private readonly waiting: Delivery[] = [];
  private readonly reported = new Set<Moment["kind"]>();
  private mediaId = "";
  private onShown: () => void = () => undefined;
  private readonly shown = new Set<string>();
  private close: () => Promise<unknown> = async () => undefined;

  private constructor(show: Deliveries["show"]) {
    this.show = show;
  }

  /** @throws {CommandError} with a message for the user */
  static async open(platform: Platform, show: Deliveries["show"]): Promise<Deliveries> {
    const deliveries = new Deliveries(show);
    const { promise: secrets, resolve } = Promise.withResolvers<readonly string[]>();
    const receiver = await startReceiver({ port: 0, secrets, onArrival: (arrival) => deliveries.arrive(arrival) });
    let webhook: Registration;
    try {
      webhook = await register(clientOf(platform), { url: receiver.url, description: "npm run demo" });
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

  /** Call when a progress event has been shown. Shows the deliveries that waited for it. */
  after(moment: Moment): void {
    if (moment.kind === "accepted") this.mediaId = moment.mediaId;
    this.reported.add(moment.kind);
    for (const delivery of this.waiting.splice(0)) this.report(delivery);
  }

  /** Shows deliveries about this object as they arrive. */
  follow(objectId: string): void {
    this.mediaId = objectId;
    for (const delivery of this.waiting.splice(0)) this.report(delivery);
  }

  /** Resolves when a delivery of one of these types has been shown; false on timeout. */
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

  /** Deletes the webhook and stops the receiver. */
  async stop(): Promise<void> {
    await this.close();
  }

  private arrive(arrival: Arrival): void {
    if (arrival.kind === "refused") return this.show({ kind: "delivery_refused", why: arrival.why });
    if (arrival.kind !== "event" || arrival.isRepeat) return;
    const { at, event } = arrival;
    const { droppedRungs } = event.data;
    this.report({
      kind: "delivery",
      type: event.type,
      objectId: event.object.id,
      isOther: false,
      eventId: event.event_id,
      afterChangeMs: afterChangeMs(at, event),
      verified: true, // unverified requests are refused
      ...(Array.isArray(droppedRungs) && droppedRungs.length > 0 ? { droppedRungs: droppedRungs.map(String) } : {}),
    });
  }

  private report(delivery: Delivery): void {
    if (this.isAhead(delivery)) return void this.waiting.push(delivery);
    this.show({ ...delivery, isOther: delivery.objectId !== this.mediaId && !isOfPlay(delivery) });
    if (delivery.objectId === this.mediaId) this.shown.add(delivery.type);
    this.onShown();
  }

  private isAhead({ type, objectId }: Delivery): boolean {
    if (this.mediaId === "") return !this.reported.has("failed");
    const moment = SHOWN_AFTER[type];
    return objectId === this.mediaId && moment !== undefined && !this.reported.has(moment);
  }
}

function clientOf({ baseUrl, settings: { secrets } }: Platform): Sluice {
  return new Sluice({ baseUrl, accessToken: secrets.username, secretKey: secrets.password });
}
