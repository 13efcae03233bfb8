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

  /** @returns a name for a packet with a complete PAT or PMT; null for any other packet */
  nameOf(packet: Buffer): string | null {
    const pid = packet.readUInt16BE(1) & 0x1fff;
    if (pid !== PAT_PID && !this.#mapPids.has(pid)) return null;
    const section = sectionOf(packet);
    if (section === null) return null;
    if (pid !== PAT_PID) return section[0] === PMT_TABLE ? `1-pmt-${pid}` : null;
    if (section[0] !== PAT_TABLE) return null;
    this.#mapPids = new Set(mapPidsOf(section));
    return "0-pat";
  }
}

/** The section that starts and ends in this packet. */
function sectionOf(packet: Buffer): Buffer | null {
  const begins = (packet[1]! & 0x40) !== 0;
  const hasAdaptation = (packet[3]! & 0x20) !== 0;
  const payloadAt = hasAdaptation ? 5 + packet[4]! : 4;
  if (!begins || payloadAt >= PACKET_BYTES) return null;
  const at = payloadAt + 1 + packet[payloadAt]!;
  if (at + SECTION_HEADER_BYTES > PACKET_BYTES) return null;
  const end = at + 3 + (packet.readUInt16BE(at + 1) & 0x0fff);
  return end <= PACKET_BYTES ? packet.subarray(at, end) : null;
}

function mapPidsOf(section: Buffer): number[] {
  const pids: number[] = [];
  for (let at = SECTION_HEADER_BYTES; at + 4 <= section.length - CRC_BYTES; at += 4) {
    const program = section.readUInt16BE(at);
    if (program !== 0) pids.push(section.readUInt16BE(at + 2) & 0x1fff);
  }
  return pids;
}
