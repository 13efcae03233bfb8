/** The value that would be at the index if the values were sorted (Hoare's selection, linear on average). Reorders the values. */
export function selectValue(values: Float64Array, index: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = middleOf(values[from]!, values[(from + to) >>> 1]!, values[to]!);
    let [left, right] = [from, to];
    while (left <= right) {
      while (values[left]! < pivot) left += 1;
      while (values[right]! > pivot) right -= 1;
      if (left > right) break;
      const value = values[left]!;
      values[left] = values[right]!;
      values[right] = value;
      left += 1;
      right -= 1;
    }
    if (index <= right) to = right;
    else if (index >= left) from = left;
    else break;
  }
  return values[index]!;
}

const middleOf = (one: number, two: number, three: number): number =>
  Math.max(Math.min(one, two), Math.min(Math.max(one, two), three));
