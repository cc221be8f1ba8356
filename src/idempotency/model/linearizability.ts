import type { KeyedRequest, TargetTraits, Anomaly } from './history.js';

/** Model state of one key: unused, or bound to one lead. Leads are compared by id where both answers show one. */
interface State {
  readonly body: string | null;
  readonly id: string | null;
  /** A refused request used the key up. */
  readonly burnt: boolean;
  /** Bodies refused as invalid while the key was unused. */
  readonly invalid: readonly string[];
}

type Step = { readonly next: readonly State[] } | { readonly stuck: Omit<Anomaly, 'about'> };

const empty: State = { body: null, id: null, burnt: false, invalid: [] };

function describeAnswer(request: KeyedRequest): string {
  const { answer } = request;
  if (answer.kind === 'lead')
    return `a success showing ${answer.id === null ? 'no id' : `lead ${answer.id}`}${answer.shows.length > 0 ? ` with the data of ${answer.shows.join(' and ')}` : ''}`;
  return answer.kind === 'refused' ? `status ${answer.status}` : answer.why;
}

/** Possible states after this request takes effect now, or the reason why the model forbids its answer. */
function step(state: State, request: KeyedRequest, alone: boolean, shared: boolean, traits: TargetTraits): Step {
  const { answer, body } = request;
  if (answer.kind === 'unknown') {
    if (!answer.open) return { next: [state] };
    return { next: state.body === null ? [state, { ...state, burnt: true }, { ...state, body, id: null }] : [state] };
  }
  if (answer.kind === 'refused') {
    if (state.body === null) {
      // A service may refuse a lead that is equal to one made under another key.
      if (request.plain && alone && !shared && !state.burnt) {
        return {
          stuck: {
            kind: 'fresh-refused',
            reason: `${body} under a key that was not used before and was answered with ${describeAnswer(request)}`,
          },
        };
      }
      const invalid =
        answer.status === 400 || answer.status === 422 ? [...new Set([...state.invalid, body])].sort() : state.invalid;
      return {
        next: request.plain
          ? [state]
          : [
              { ...state, invalid },
              { ...state, invalid, burnt: true },
            ],
      };
    }
    // No sentence promises the first answer to a replay.
    return { next: [state] };
  }
  if (state.body === null) {
    const foreign = answer.shows.find((label) => label !== body);
    if (foreign !== undefined) {
      return {
        stuck: {
          kind: state.burnt ? 'never-made' : 'other-data',
          reason: `${body} was answered with ${describeAnswer(request)}, though ${foreign} made no lead under this key`,
        },
      };
    }
    if (request.plain && request.route === 'leads' && traits.echoes && answer.shows.length === 0) {
      return {
        stuck: {
          kind: 'never-made',
          reason: `${body} was answered with ${describeAnswer(request)}, which is no lead that was sent`,
        },
      };
    }
    if (state.invalid.includes(body)) {
      return {
        stuck: {
          kind: 'never-made',
          reason: `${body} was refused as invalid, and its replay was answered with ${describeAnswer(request)}`,
        },
      };
    }
    return { next: [{ ...state, body, id: answer.id }] };
  }
  if (state.id !== null && answer.id !== null && state.id !== answer.id) {
    return {
      stuck: {
        kind: 'second-lead',
        reason: `one key made lead ${state.id} (${state.body}) and was then answered with ${describeAnswer(request)}`,
      },
    };
  }
  const other = answer.shows.find((label) => label !== state.body);
  if (other !== undefined) {
    return {
      stuck: {
        kind: 'other-data',
        reason: `the key's lead was made with ${state.body}, and ${body} was answered with ${describeAnswer(request)}`,
      },
    };
  }
  return { next: [{ ...state, id: state.id ?? answer.id }] };
}

function end(request: KeyedRequest): number {
  // A request without an answer may still take effect at any later time.
  return request.answer.kind === 'unknown' && request.answer.open ? Number.POSITIVE_INFINITY : request.receivedAtMs;
}

/** Searches an order of the requests of one key that keeps their real-time order and explains every answer. */
function findAnomalyOfKey(
  history: readonly { readonly at: number; readonly request: KeyedRequest }[],
  shared: ReadonlySet<string>,
  traits: TargetTraits,
): Anomaly | null {
  const alone = history.map(({ request }, at) =>
    history.every(
      (other, there) =>
        there === at || other.request.sentAtMs > request.receivedAtMs || end(other.request) < request.sentAtMs,
    ),
  );
  const tried = new Set<string>();
  let deepest = -1;
  let anomaly: Anomaly | null = null;
  const search = (done: readonly boolean[], count: number, state: State): boolean => {
    if (count === history.length) return true;
    const memo = `${done.map(Number).join('')} ${JSON.stringify(state)}`;
    if (tried.has(memo)) return false;
    tried.add(memo);
    const open = history.map((_, at) => at).filter((at) => done[at] !== true);
    for (const at of open) {
      const entry = history[at];
      if (entry === undefined) continue;
      if (open.some((other) => other !== at && end(history[other]?.request ?? entry.request) < entry.request.sentAtMs))
        continue;
      const taken = step(state, entry.request, alone[at] === true, shared.has(entry.request.body), traits);
      if ('stuck' in taken) {
        if (count > deepest) {
          deepest = count;
          anomaly = { ...taken.stuck, about: history.map((one) => one.at) };
        }
        continue;
      }
      const after = done.map((one, there) => one || there === at);
      if (taken.next.some((next) => search(after, count + 1, next))) return true;
    }
    return false;
  };
  return search(
    history.map(() => false),
    0,
    empty,
  )
    ? null
    : anomaly;
}

/** One lead shown under two keys that have no body in common. Equal bodies may share a lead: a service may also deduplicate by content. */
function sharedLead(history: readonly KeyedRequest[]): Anomaly | null {
  const owners = new Map<string, { key: string; at: number; bodies: Set<string> }[]>();
  for (const [at, request] of history.entries()) {
    if (request.route !== 'leads' || request.answer.kind !== 'lead' || request.answer.id === null) continue;
    const place = JSON.stringify([request.tenant, request.route, request.answer.id]);
    const known = owners.get(place) ?? [];
    owners.set(place, known);
    if (known.some((one) => one.key === request.key)) continue;
    const bodies = new Set(
      history
        .filter((one) => one.tenant === request.tenant && one.route === request.route && one.key === request.key)
        .map((one) => one.body),
    );
    const clash = known.find((one) => [...bodies].every((body) => !one.bodies.has(body)));
    if (clash !== undefined) {
      return {
        kind: 'shared-lead',
        reason: `lead ${request.answer.id} was shown under two keys whose bodies differ`,
        about: [clash.at, at],
      };
    }
    known.push({ key: request.key, at, bodies });
  }
  return null;
}

/**
 * Searches for a linearization of the requests (Wing and Gong). The model demands only this: one key of one tenant on one route creates at
 * most one lead, which every success shows. Null where one exists.
 */
export function findAnomaly(history: readonly KeyedRequest[], traits: TargetTraits): Anomaly | null {
  const groups = new Map<string, { at: number; request: KeyedRequest }[]>();
  for (const [at, request] of history.entries()) {
    const name = JSON.stringify([request.tenant, request.route, request.key]);
    const group = groups.get(name) ?? [];
    group.push({ at, request });
    groups.set(name, group);
  }
  for (const group of groups.values()) {
    const one = group[0]?.request;
    // A service may refuse a key that another route has used.
    const elsewhere = history.filter((other) => other.tenant === one?.tenant && other.key !== one.key);
    const isReused = history.some(
      (other) => other.tenant === one?.tenant && other.key === one.key && other.route !== one.route,
    );
    if (isReused) elsewhere.push(...group.map(({ request }) => request));
    const anomaly = findAnomalyOfKey(group, new Set(elsewhere.map((other) => other.body)), traits);
    if (anomaly !== null) return anomaly;
  }
  return traits.shows === 'id' ? sharedLead(history) : null;
}
