/** Milliseconds of CPU that some work takes at its best of three: the machine may be busy with other things. */
function cpuMs(work: () => void): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user / 1000;
    }),
  );
}

/** How many times more CPU four times the size takes: about 4 where the cost is proportional, 16 where it is quadratic. */
export function growth(work: (size: number) => void, size: number): number {
  work(size);
  const small = cpuMs(() => work(size));
  const large = cpuMs(() => work(4 * size));
  // What takes next to nothing is all noise.
  return (large + 5) / (small + 5);
}
