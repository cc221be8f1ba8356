import type { Exchange, FaultHooks, Hooks } from '../../src/reference/index.js';

type Hook = (...args: readonly unknown[]) => unknown;

const isExchange = (value: unknown): value is Exchange =>
  typeof value === 'object' && value !== null && 'requestId' in value;

const exchangeIn = (args: readonly unknown[]): Exchange | undefined =>
  args
    .map((arg) => (typeof arg === 'object' && arg !== null && 'exchange' in arg ? arg.exchange : arg))
    .find(isExchange);

/** What a hook may change in place: its value, the request, headers set so far, stored records and remembered keys. */
function stampOf(args: readonly unknown[]): string {
  const [value] = args;
  const exchange = exchangeIn(args);
  const { id, query, headers, body, caller, response, world } = exchange ?? {};
  const writes = Array.from(world?.tenants.values() ?? [], ({ units, leads }) => units.writes + leads.writes);
  const remembered = args.map((arg) => typeof arg === 'string' && world?.remembered.get(arg)?.fingerprint);
  const silent = response && [response.destroyed, Object.hasOwn(response, 'end')];
  const request = [id, query, headers, body?.toString('base64'), caller?.tenant.slug, response?.getHeaders(), silent];
  return JSON.stringify([value === exchange || world === value ? null : value, request, writes, remembered]);
}

/** The hooks of a fault; `reached` hears when one of them first changes something, refuses, or answers a route that it added. */
export function watched(hooks: FaultHooks, reached: () => void): FaultHooks {
  let isReached = false;
  const reach = (): void => {
    if (!isReached) reached();
    isReached = true;
  };
  const watch = (hook: Hook): Hook =>
    function watchedHook(...args) {
      if (isReached) return hook(...args);
      const before = stampOf(args);
      try {
        const changed = hook(...args);
        if ((changed !== undefined && changed !== args[0]) || stampOf(args) !== before) reach();
        return changed;
      } catch (error) {
        reach();
        throw error;
      }
    };
  const { routes, ...others } = hooks;
  const watchedOthers = Object.entries(others).map(([name, hook]) => [name, watch(hook as Hook)]);
  const addRoutes: Hooks['routes'] = (add, world) =>
    routes?.((method, path, answer, ...more) => {
      const answerWatched: typeof answer = (exchange) => {
        reach();
        return answer(exchange);
      };
      add(method, path, answerWatched, ...more);
    }, world);
  return {
    ...(Object.fromEntries(watchedOthers) as FaultHooks),
    ...(routes ? { routes: addRoutes } : {}),
  };
}
