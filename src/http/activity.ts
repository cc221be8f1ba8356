/** The current activity of a run, for progress output: its requests (load included) and what it waits for. */
export interface Activity {
  requests: number;
  /** Requests that a limit refused. */
  refusals: number;
  /** The current activities, in words, the oldest first. */
  readonly now: readonly string[];
  /** Names what `work` does for as long as it lasts. */
  during<T>(words: string | (() => string), work: () => Promise<T>): Promise<T>;
  /** Prints one line that stays on the terminal. */
  say(line: string): void;
}

/** An activity that tells its lines to `say`. */
export function createActivity(
  say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Activity {
  const underWay = new Set<{ readonly words: string | (() => string) }>();
  return {
    requests: 0,
    refusals: 0,
    get now() {
      return [...underWay].map(({ words }) => (typeof words === 'string' ? words : words()));
    },
    async during(words, work) {
      const one = { words };
      underWay.add(one);
      try {
        return await work();
      } finally {
        underWay.delete(one);
      }
    },
    say,
  };
}
