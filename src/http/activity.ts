/** A request of a load that came to its end. */
export interface LoadRequest {
  readonly url: string;
  readonly plan: string;
  readonly scenario: string;
  /** Its name in the mix of a soak. */
  readonly operation?: string;
  readonly method: string;
  readonly path: string;
  /** The status of the answer, or a word for what came instead of one. */
  readonly status: string;
  /** From the instant that it was due; null where nothing was waited for to its end. */
  readonly seconds: number | null;
  readonly isError: boolean;
}

/** The current activity of a run, for progress output: its requests (load included) and what it waits for. */
export interface Activity {
  requests: number;
  /** Requests that a limit refused. */
  refusals: number;
  /** The current activities, in words, the oldest first. */
  readonly now: readonly string[];
  /** Names what `work` does for as long as it lasts. */
  during<T>(words: string | (() => string), work: () => Promise<T>): Promise<T>;
  /** Hears of each request of a load. */
  onLoadRequest?: ((request: LoadRequest) => void) | undefined;
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
