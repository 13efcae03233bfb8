/** Longer names are compared with none: their distance would take too long to compute. */
const MAX_LENGTH = 64;
/** Share of a name's characters in which a misspelt one may differ. */
const MAX_SHARE = 1 / 3;

/** The known name that was probably meant: the same in another spelling (`access_policy`), one with few different characters, or the only longer one. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = plain(name);
  if (name.length > MAX_LENGTH || wanted === "") return null;
  let nearest: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const other = plain(candidate);
    const distance = editDistance(wanted, other);
    const isNear = distance <= Math.floor(Math.max(wanted.length, other.length) * MAX_SHARE);
    if (isNear && distance < (nearest?.distance ?? Infinity)) nearest = { name: candidate, distance };
  }
  return nearest?.name ?? continued(wanted, known);
}

/** A shorter text begins too many names by chance. */
const MIN_BEGINNING = 3;
/** One of this many characters of a beginning may differ. */
const CHARACTERS_PER_MISTAKE = 6;

/** The only name that begins like this one, or nearly so: `thresholdValue` for `threshold` and for `treshold`. */
function continued(beginning: string, known: readonly string[]): string | null {
  if (beginning.length < MIN_BEGINNING) return null;
  const exact = known.filter((name) => plain(name).startsWith(beginning));
  const longer = exact.length > 0 ? exact : known.filter((name) => beginsNearly(plain(name), beginning));
  return longer.length === 1 ? longer[0]! : null;
}

function beginsNearly(name: string, beginning: string): boolean {
  const mistakes = Math.floor(beginning.length / CHARACTERS_PER_MISTAKE);
  for (let missing = -mistakes; missing <= mistakes; missing++) {
    if (editDistance(beginning, name.slice(0, beginning.length + missing)) <= mistakes) return mistakes > 0;
  }
  return false;
}

export const isSameName = (one: string, other: string): boolean => plain(one) === plain(other);

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Optimal string alignment: insertions, deletions, substitutions and swaps of two neighbours count one each. */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length]!;
}
