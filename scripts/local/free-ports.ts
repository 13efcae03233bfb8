import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { type Settings, StartError } from "./settings.ts";

type Ports = Pick<Settings, "port" | "encoderPort" | "ingestPorts">;

export class PortsTaken extends StartError {}

/** Thrown when a program has taken the Worker's port after `requireFreePorts`. */
export const workerPortTaken = (port: number) => new PortsTaken(takenText([{ variable: "PORT", port }]));

/** @throws {PortsTaken} names every port that another program uses, with its variable */
export async function requireFreePorts({ port, encoderPort, ingestPorts }: Ports): Promise<void> {
  const wanted: [variable: string, port: number, isFree: (port: number) => Promise<boolean>][] = [
    ["PORT", port, isFreeTcp],
    ["ENCODER_PORT", encoderPort, isFreeTcp],
  ];
  if (ingestPorts !== null)
    wanted.push(
      ["RTMP_PORT", ingestPorts.rtmp, isFreeTcp],
      ["SRT_PORT", ingestPorts.srt, isFreeUdp],
      ["INGEST_PORT", ingestPorts.http, isFreeTcp],
    );
  const found = await Promise.all(
    wanted.map(async ([variable, one, isFree]) => ((await isFree(one)) ? [] : [{ variable, port: one }])),
  );
  const taken = found.flat();
  if (taken.length > 0) throw new PortsTaken(takenText(taken));
}

function takenText(taken: { variable: string; port: number }[]): string {
  const choices = taken.map(({ variable }) => `${variable}=…`).join(" ");
  return taken.length === 1
    ? `Port ${taken[0]!.port} is taken. Stop the program that uses it, or choose another port with ${choices}.`
    : `Ports ${taken.map(({ port }) => port).join(", ")} are taken. Stop the programs that use them, or choose other ports with ${choices}.`;
}

async function isFreeTcp(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((done, failed) => server.once("error", failed).listen(port, "127.0.0.1", done));
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

async function isFreeUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  try {
    await new Promise<void>((done, failed) => socket.once("error", failed).bind(port, "127.0.0.1", done));
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
