/** Computes each named value once and remembers failures too. */
export function createMemo(): <T>(name: string, make: () => Promise<T>) => Promise<T> {
  const made = new Map<string, Promise<unknown>>();
  return <T>(name: string, make: () => Promise<T>): Promise<T> => {
    const known = made.get(name) as Promise<T> | undefined;
    if (known) return known;
    const fresh = make();
    made.set(name, fresh);
    fresh.catch(() => undefined);
    return fresh;
  };
}
