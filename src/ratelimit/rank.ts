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

/** The same where at least `from` values are known to be below: found in few steps where it is near. */
export function lowerBoundFrom(sorted: Float64Array, bound: number, from: number): number {
  let low = from;
  let step = 1;
  for (; low + step <= sorted.length && (sorted[low + step - 1] ?? 0) < bound; step *= 2) low += step;
  let high = Math.min(sorted.length, low + step);
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

/**
 * Positions (those of all keys, or the ascending ones in `order`, which is sorted in place) in ascending order of their keys; equal ones keep
 * their order. A merge touches only where two runs overlap, so that what is nearly sorted takes little time.
 */
export function argsort(keys: Float64Array, order = countingUp(keys.length)): Uint32Array {
  const spare = new Uint32Array(order.length);
  for (let width = 1; width < order.length; width *= 2)
    for (let from = 0; from + width < order.length; from += 2 * width)
      mergeRuns(keys, order, spare, from, from + width, Math.min(from + 2 * width, order.length));
  return order;
}

function countingUp(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) order[at] = at;
  return order;
}

/** Merges order[from…middle) and order[middle…until). */
function mergeRuns(
  keys: Float64Array,
  order: Uint32Array,
  spare: Uint32Array,
  from: number,
  middle: number,
  until: number,
): void {
  const keyOf = (place: number | undefined): number => keys[place ?? 0] ?? 0;
  const least = keyOf(order[middle]);
  if (keyOf(order[middle - 1]) <= least) return;
  let to = from;
  for (let high = middle; to < high;) {
    const half = (to + high) >> 1;
    if (keyOf(order[half]) <= least) to = half + 1;
    else high = half;
  }
  const held = middle - to;
  for (let at = 0; at < held; at += 1) spare[at] = order[to + at] ?? 0;
  let right = middle;
  for (let left = 0; left < held; to += 1) {
    const isRight = right < until && keyOf(order[right]) < keyOf(spare[left]);
    order[to] = (isRight ? order[right++] : spare[left++]) ?? 0;
  }
}
