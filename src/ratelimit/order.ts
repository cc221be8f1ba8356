/** The positions 0…n−1 in ascending order of `keys`; stable, and linear where the keys are already in order. */
export function argsort(keys: Float64Array): Uint32Array {
  const count = keys.length;
  let from = new Uint32Array(count);
  for (let position = 0; position < count; position += 1) from[position] = position;
  let into = new Uint32Array(count);
  for (let width = 1; width < count; width *= 2) {
    for (let low = 0; low < count; low += 2 * width) {
      mergeRuns(keys, from, into, low, Math.min(low + width, count), Math.min(low + 2 * width, count));
    }
    [from, into] = [into, from];
  }
  return from;
}

function mergeRuns(
  keys: Float64Array,
  from: Uint32Array,
  into: Uint32Array,
  low: number,
  middle: number,
  high: number,
) {
  const lastLeft = from[middle - 1] ?? 0;
  if (middle >= high || (keys[lastLeft] ?? 0) <= (keys[from[middle] ?? 0] ?? 0)) {
    into.set(from.subarray(low, high), low);
    return;
  }
  let left = low;
  let right = middle;
  for (let place = low; place < high; place += 1) {
    const a = from[left] ?? 0;
    const b = from[right] ?? 0;
    if (left < middle && (right >= high || (keys[a] ?? 0) <= (keys[b] ?? 0))) {
      into[place] = a;
      left += 1;
    } else {
      into[place] = b;
      right += 1;
    }
  }
}
