/** Languages of closed captions, as the program map of an MPEG-TS announces them (ATSC A/65 §6.9.2, ISO/IEC 13818-1 §2.4.4). Pure. */

const PACKET_BYTES = 188;
const SYNC = 0x47;
const [PAT_PID, PAT_TABLE, PMT_TABLE] = [0, 0x00, 0x02];
const CAPTION_SERVICE = 0x86;

/**
 * @param head the first bytes of the file: tables are repeated several times a second
 * @returns languages in ISO 639-2 by channel: "CC1", "CC3", "SERVICE1" to "SERVICE63". Empty when nothing is announced, and for damaged data
 */
export function captionLanguages(head: Uint8Array): Map<string, string> {
  const languages = new Map<string, string>();
  const maps = new Set<number>();
  for (const { pid, section } of sectionsOf(head)) {
    if (pid === PAT_PID && section[0] === PAT_TABLE) for (const map of programMaps(section)) maps.add(map);
    if (maps.has(pid) && section[0] === PMT_TABLE)
      for (const descriptor of descriptorsOf(section)) readServices(descriptor, languages);
  }
  return languages;
}

/** The sections that begin in a packet, as far as that packet has them. Program maps are seldom longer. */
function* sectionsOf(bytes: Uint8Array): Generator<{ pid: number; section: Uint8Array }> {
  for (let at = firstPacket(bytes); at >= 0 && at + PACKET_BYTES <= bytes.length; at += PACKET_BYTES) {
    const packet = bytes.subarray(at, at + PACKET_BYTES);
    if (packet[0] !== SYNC) return;
    const isStart = (packet[1]! & 0x40) !== 0;
    const control = packet[3]! >> 4;
    if (!isStart || (control & 1) === 0) continue;
    const payload = packet.subarray((control & 2) !== 0 ? 5 + packet[4]! : 4);
    const section = payload.subarray(1 + (payload[0] ?? 0));
    const length = 3 + (((section[1] ?? 0) & 0x0f) << 8) + (section[2] ?? 0);
    yield { pid: ((packet[1]! & 0x1f) << 8) | packet[2]!, section: section.subarray(0, length) };
  }
}

/** Files may begin within a packet. -1 = there are no packets. */
function firstPacket(bytes: Uint8Array): number {
  for (let at = 0; at < PACKET_BYTES && at + 2 * PACKET_BYTES < bytes.length; at += 1)
    if ([0, 1, 2].every((n) => bytes[at + n * PACKET_BYTES] === SYNC)) return at;
  return -1;
}

function programMaps(section: Uint8Array): number[] {
  const maps: number[] = [];
  for (let at = 8; at + 4 <= section.length - 4; at += 4) {
    const isProgram = section[at] !== 0 || section[at + 1] !== 0;
    if (isProgram) maps.push(((section[at + 2]! & 0x1f) << 8) | section[at + 3]!);
  }
  return maps;
}

/** Descriptors of the program, and of its streams, with their tag. */
function* descriptorsOf(section: Uint8Array): Generator<Uint8Array> {
  const lengthAt = (at: number) => (((section[at] ?? 0) & 0x0f) << 8) + (section[at + 1] ?? 0);
  let at = 12 + lengthAt(10);
  yield* tagged(section.subarray(12, at));
  while (at + 5 <= section.length - 4) {
    const end = at + 5 + lengthAt(at + 3);
    yield* tagged(section.subarray(at + 5, end));
    at = end;
  }
}

function* tagged(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + 2 <= bytes.length; at += 2 + bytes[at + 1]!) yield bytes.subarray(at, at + 2 + bytes[at + 1]!);
}

/** `caption_service_descriptor`: six bytes for each service. */
function readServices(descriptor: Uint8Array, languages: Map<string, string>): void {
  if (descriptor[0] !== CAPTION_SERVICE) return;
  const count = (descriptor[2] ?? 0) & 0x1f;
  for (let at = 3; at + 6 <= descriptor.length && at < 3 + 6 * count; at += 6) {
    const language = String.fromCharCode(...descriptor.subarray(at, at + 3)).toLowerCase();
    const service = descriptor[at + 3]!;
    const isDigital = (service & 0x80) !== 0;
    const channel = isDigital ? `SERVICE${service & 0x3f}` : (service & 1) === 0 ? "CC1" : "CC3";
    if (/^[a-z]{3}$/.test(language) && !languages.has(channel)) languages.set(channel, language);
  }
}
