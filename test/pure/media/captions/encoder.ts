/** The bytes of a text in an encoding that only has a decoder: every code of one and two bytes is decoded once. */
export function encodeAs(text: string, encoding: string): Uint8Array {
  const table = tableOf(encoding);
  return Uint8Array.from(
    Array.from(text).flatMap((char) => {
      const code = table.get(char);
      if (code === undefined) throw new Error(`${encoding} has no ${char}`);
      return code;
    }),
  );
}

const tables = new Map<string, Map<string, number[]>>();

function tableOf(encoding: string): Map<string, number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, number[]>();
  const learn = (code: number[]) => {
    const char = decoder.decode(Uint8Array.from(code));
    if (Array.from(char).length === 1 && char !== "\ufffd" && !table.has(char)) table.set(char, code);
  };
  for (let byte = 0; byte < 256; byte += 1) learn([byte]);
  if (/^(?:shift_jis|euc-|big5|gb)/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) learn([lead, trail]);
  tables.set(encoding, table);
  return table;
}
