/** A broadcast's child process that drops no rendition, however slow the machine is. */
import { serveBroadcast } from "../../encoder/live/broadcast-child.ts";

serveBroadcast({ decide: () => null });
