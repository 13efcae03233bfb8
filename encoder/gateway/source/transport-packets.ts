/** Finds the MPEG-TS tables (ISO/IEC 13818-1) that a demuxer needs to start midway: the newest PAT and PMTs. */

export const PACKET_BYTES = 188;
export const SYNC_BYTE = 0x47;
const PAT_PID = 0;
const PAT_TABLE = 0;
const PMT_TABLE = 2;
const SECTION_HEADER_BYTES = 8;
const CRC_BYTES = 4;

export class TransportTables {
  /** PMT PIDs listed in the newest PAT. */
  #mapPids = new Set<number>();
  /** PMTs that continue in the next packets of their PID. */
  readonly #unfinished = new Map<number, { packets: number; missingBytes: number }>();

  /** @returns a name for a packet with a complete PAT, or with a PMT or a part of one; null for any other packet */
  nameOf(packet: Buffer): string | null {
    const pid = packet.readUInt16BE(1) & 0x1fff;
    if (pid !== PAT_PID && !this.#mapPids.has(pid)) return null;
    const found = sectionOf(packet);
    if (found === null) return this.#nextOf(pid, packet);
    const { section, missingBytes } = found;
    if (pid !== PAT_PID) {
      if (section[0] !== PMT_TABLE) return null;
      if (missingBytes > 0) this.#unfinished.set(pid, { packets: 1, missingBytes });
      else this.#unfinished.delete(pid);
      return `1-pmt-${pid}`;
    }
    if (section[0] !== PAT_TABLE || missingBytes > 0) return null;
    this.#mapPids = new Set(mapPidsOf(section));
    return "0-pat";
  }

  /** Names of the packets of one PMT are in ascending order: it has at most six. */
  #nextOf(pid: number, packet: Buffer): string | null {
    const unfinished = this.#unfinished.get(pid);
    const payloadBytes = PACKET_BYTES - payloadAt(packet);
    if (unfinished === undefined || payloadBytes <= 0) return null;
    const name = `1-pmt-${pid}-${unfinished.packets}`;
    unfinished.packets += 1;
    unfinished.missingBytes -= payloadBytes;
    if (unfinished.missingBytes <= 0) this.#unfinished.delete(pid);
    return name;
  }
}

/** 188 in a packet without payload. */
function payloadAt(packet: Buffer): number {
  const [hasAdaptation, hasPayload] = [(packet[3]! & 0x20) !== 0, (packet[3]! & 0x10) !== 0];
  return hasPayload ? Math.min(PACKET_BYTES, hasAdaptation ? 5 + packet[4]! : 4) : PACKET_BYTES;
}

/** The section that starts in this packet, as far as the packet has it. */
function sectionOf(packet: Buffer): { section: Buffer; missingBytes: number } | null {
  const begins = (packet[1]! & 0x40) !== 0;
  const start = payloadAt(packet);
  if (!begins || start >= PACKET_BYTES) return null;
  const at = start + 1 + packet[start]!;
  if (at + SECTION_HEADER_BYTES > PACKET_BYTES) return null;
  const end = at + 3 + (packet.readUInt16BE(at + 1) & 0x0fff);
  return { section: packet.subarray(at, end), missingBytes: Math.max(0, end - PACKET_BYTES) };
}

function mapPidsOf(section: Buffer): number[] {
  const pids: number[] = [];
  for (let at = SECTION_HEADER_BYTES; at + 4 <= section.length - CRC_BYTES; at += 4) {
    const program = section.readUInt16BE(at);
    if (program !== 0) pids.push(section.readUInt16BE(at + 2) & 0x1fff);
  }
  return pids;
}
