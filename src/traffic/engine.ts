import autocannon from 'autocannon';
import { assertInternals } from './autocannon-internals.js';
import { createLane } from './lane.js';
import type { EngineClient } from './autocannon-internals.js';
import type { Lane, RequestShape } from './lane.js';

/** What a pool of connections is opened with; the URL's path is the request's unless a shape says otherwise. */
export interface EngineOptions {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly connections: number;
  /** A request without its whole answer by then is a timeout, and its connection is dropped. */
  readonly timeoutMs: number;
}

/** Open connections that send nothing of their own accord. */
export interface Engine {
  /** A connection that is established and idle, in turn, or null. */
  take(): Lane | null;
  /** Hears each time a connection becomes free. */
  onFree: () => void;
  /** The last reason why a connection could not be opened, or null. */
  readonly connectError: () => string | null;
  readonly open: () => number;
  close(): Promise<void>;
}

const idleLimitMs = 15_000;
/** Of connections that rested longer the one used last is taken: the other side may be about to close the others. */
const inTurnMs = 1_000;
const sweepMs = 20;
/** After a standstill of this process, answers lie unread in their sockets: nothing is given up for as long again. */
const standstillMs = 1_000;
/** In how many sweeps all connections are renewed: half a second, which is half of what a server's word on its patience leaves. */
const sweepsToRenew = 25;
const engineSeconds = 1_000_000;

/** Opens the pool and waits until every connection stands, or `patienceMs` have passed. */
export async function openEngine(options: EngineOptions, patienceMs = 5_000): Promise<Engine> {
  assertInternals();
  const lanes: Lane[] = [];
  const free: Lane[] = [];
  let established = (): void => undefined;
  const engine: Engine = {
    onFree: () => undefined,
    take() {
      const now = performance.now();
      // In turn, so that a limit kept for each connection, or by one of several workers, shows in a slower stream as well.
      const next = free.findIndex(
        (lane) => lane.isIdle() && now - lane.idleSinceMs() < Math.min(inTurnMs, lane.idleLimitMs()),
      );
      const [inTurn] = next < 0 ? [] : free.splice(next, 1);
      if (inTurn !== undefined) return inTurn;
      for (let lane = free.pop(); lane !== undefined; lane = free.pop()) {
        if (lane.isIdle() && now - lane.idleSinceMs() < lane.idleLimitMs()) return lane;
        if (lane.isIdle()) lane.reset();
      }
      return null;
    },
    connectError: () => lanes.map((lane) => lane.lastError()).find((error) => error !== null) ?? null,
    open: () => lanes.filter((lane) => lane.isOpen()).length,
    async close() {
      clearInterval(sweep);
      engine.onFree = () => undefined;
      for (const lane of lanes) lane.close();
      run.stop?.();
      await run;
    },
  };
  const shape: RequestShape = {
    method: options.method,
    headers: { ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  };
  const run = autocannon({
    url: options.url,
    method: shape.method,
    headers: shape.headers,
    ...(options.body === undefined ? {} : { body: options.body }),
    connections: options.connections,
    pipelining: 1,
    duration: engineSeconds,
    timeout: engineSeconds,
    sampleInt: 50,
    setupClient: (client: unknown) => {
      lanes.push(
        createLane(client as EngineClient, shape, idleLimitMs, (lane) => {
          if (free.length > 2 * options.connections)
            free.splice(0, free.length, ...new Set(free.filter((one) => one.isIdle())));
          free.push(lane);
          established();
          engine.onFree();
        }),
      );
    },
  } as unknown as autocannon.Options) as unknown as PromiseLike<unknown> & { stop?: () => void };
  let sweptMs = performance.now();
  let sparedUntilMs = 0;
  const sweep = setInterval(() => {
    const now = performance.now();
    if (now - sweptMs >= standstillMs) sparedUntilMs = now + standstillMs;
    sweptMs = now;
    for (const lane of now < sparedUntilMs ? [] : lanes) {
      if (lane.sentMs() !== null && now - (lane.sentMs() ?? now) >= options.timeoutMs) lane.timeOut();
    }
    // Idle connections are renewed before the other side gives them up, a few at a time: most of them can always be used, and to connect
    // takes no slot its time.
    const stale = free
      .filter((lane) => lane.isIdle() && now - lane.idleSinceMs() >= lane.idleLimitMs())
      .slice(0, Math.ceil(options.connections / sweepsToRenew));
    for (const lane of stale) lane.reset();
    if (stale.length > 0) free.splice(0, free.length, ...free.filter((lane) => lane.isIdle()));
  }, sweepMs);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    established = () => {
      if (new Set(free).size < options.connections) return;
      clearTimeout(timer);
      resolve();
    };
    established();
  });
  established = () => undefined;
  return engine;
}
