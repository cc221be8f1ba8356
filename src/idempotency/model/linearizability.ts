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

/** What is created on the route of a request: `lead`. */
const nounOf = ({ route }: KeyedRequest): string => route.replace(/s$/, '');

/** An answer in words. */
export function describeAnswer(request: KeyedRequest): string {
  const { answer } = request;
  if (answer.kind !== 'lead') return answer.kind === 'refused' ? `status ${answer.status}` : answer.why;
  const data = answer.shows.length > 0 ? ` with the data of ${answer.shows.join(' and ')}` : '';
  return `${answer.id === null ? `a ${nounOf(request)} without an id` : `${nounOf(request)} ${answer.id}`}${data}`;
}

/** Possible states after this request takes effect now, or the reason why the model forbids its answer. */
function step(state: State, request: KeyedRequest, alone: boolean, shared: boolean, traits: TargetTraits): Step {
  const { answer, body } = request;
  const stuck = (kind: Anomaly['kind'], before: string, after = ''): Step => ({
    stuck: { kind, reason: `${before} was answered with ${describeAnswer(request)}${after}` },
  });
  const isUnused = state.body === null;
  // No sentence promises the first answer to a replay.
  if (!isUnused && answer.kind !== 'lead') return { next: [state] };
  if (answer.kind === 'unknown')
    return { next: answer.open ? [state, { ...state, burnt: true }, { ...state, body, id: null }] : [state] };
  if (answer.kind === 'refused') {
    // A service may refuse a lead that is equal to one made under another key.
    if (request.plain && alone && !shared && !state.burnt)
      return stuck('fresh-refused', `${body} under a key that was not used before`);
    if (request.plain) return { next: [state] };
    const isInvalid = answer.status === 400 || answer.status === 422;
    const invalid = isInvalid ? [...new Set([...state.invalid, body])].sort() : state.invalid;
    return {
      next: [
        { ...state, invalid },
        { ...state, invalid, burnt: true },
      ],
    };
  }
  const other = answer.shows.find((label) => label !== (state.body ?? body));
  if (isUnused) {
    if (other !== undefined)
      return stuck(
        state.burnt ? 'never-made' : 'other-data',
        body,
        `, though ${other} made no ${nounOf(request)} under this key`,
      );
    if (request.plain && request.route === 'leads' && traits.echoes && answer.tells && answer.shows.length === 0)
      return stuck('never-made', body, ', which is no lead that was sent');
    if (state.invalid.includes(body)) return stuck('never-made', `${body} was refused as invalid, and its replay`);
    return { next: [{ ...state, body, id: answer.id }] };
  }
  if (state.id !== null && answer.id !== null && state.id !== answer.id)
    return stuck('second-lead', `one key made ${nounOf(request)} ${state.id} (${state.body}), and then ${body}`);
  if (other !== undefined)
    return stuck('other-data', `the key's ${nounOf(request)} was made with ${state.body}, and ${body}`);
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
  const placeOf = ({ tenant, route, answer }: KeyedRequest): string | null =>
    route === 'leads' && answer.kind === 'lead' && answer.id !== null ? JSON.stringify([tenant, answer.id]) : null;
  const bodiesOf = ({ tenant, route, key }: KeyedRequest): string[] =>
    history.flatMap((one) => (one.tenant === tenant && one.route === route && one.key === key ? one.body : []));
  for (const [at, request] of history.entries()) {
    const place = placeOf(request);
    if (place === null) continue;
    const bodies = bodiesOf(request);
    const clash = history.findIndex(
      (one) =>
        placeOf(one) === place && one.key !== request.key && !bodiesOf(one).some((body) => bodies.includes(body)),
    );
    if (clash >= 0 && clash < at)
      return {
        kind: 'shared-lead',
        reason: `${describeAnswer(request)} was shown under two keys whose bodies differ`,
        about: [clash, at],
      };
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
