/** The number of ascending values below `bound`. */
export function lowerBound(sorted: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of ascending values (all, or the first `length`) at or below `bound`. */
export function upperBound(sorted: ArrayLike<number>, bound: number, length = sorted.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
