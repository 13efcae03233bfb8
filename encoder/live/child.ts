/** Entry point of a broadcast's child process. */
import { serveBroadcast } from "./broadcast-child.ts";
import { OverloadPolicy } from "./overload.ts";

serveBroadcast(new OverloadPolicy());
