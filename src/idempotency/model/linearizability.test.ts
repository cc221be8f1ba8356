import { expect, test } from '@playwright/test';
import { findAnomaly } from './linearizability.js';
import type { Answer, KeyedRequest, TargetTraits } from './history.js';

const traits: TargetTraits = { shows: 'id', echoes: true };
const lead = (id: string, ...shows: string[]): Answer => ({ kind: 'lead', id, shows, tells: true });
const idAlone = (id: string): Answer => ({ kind: 'lead', id, shows: [], tells: false });
const refused = (status: number): Answer => ({ kind: 'refused', status });
const silent: Answer = { kind: 'unknown', why: 'no answer', open: true };

/** One request from `from` to `to`, of tenant A under key K unless said. */
function ask(body: string, from: number, to: number, answer: Answer, more: Partial<KeyedRequest> = {}): KeyedRequest {
  return {
    tenant: 'A',
    route: 'leads',
    key: 'K',
    body,
    plain: true,
    sentAtMs: from,
    receivedAtMs: to,
    answer,
    ...more,
  };
}

const broken = { plain: false };

for (const [name, history] of Object.entries<KeyedRequest[]>({
  'a create and its replay': [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, lead('1', 'x'))],
  'answers of the id alone, as to a key that may not read': [
    ask('x', 0, 1, idAlone('1')),
    ask('x', 2, 3, lead('1', 'x')),
  ],
  'a replay refused': [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, refused(409)), ask('x', 4, 5, lead('1', 'x'))],
  'a conflict refused': [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, refused(422)), ask('x', 4, 5, lead('1', 'x'))],
  'a conflict answered with the first lead': [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, lead('1', 'x'))],
  'a race in which the second create is answered 409 (in progress)': [
    ask('x', 0, 9, lead('1', 'x')),
    ask('x', 1, 2, refused(409)),
    ask('x', 10, 11, lead('1', 'x')),
  ],
  'a race of two bodies that the later one wins': [
    ask('x', 0, 9, refused(422)),
    ask('y', 1, 8, lead('1', 'y')),
    ask('y', 10, 11, lead('1', 'y')),
  ],
  'a race of two bodies answered with one lead': [ask('x', 0, 9, lead('1', 'y')), ask('y', 1, 8, lead('1', 'y'))],
  'refused, then corrected': [
    ask('b', 0, 1, refused(400), broken),
    ask('x', 2, 3, lead('1', 'x')),
    ask('b', 4, 5, refused(400), broken),
  ],
  'refused, and the key burnt': [
    ask('b', 0, 1, refused(400), broken),
    ask('x', 2, 3, refused(422)),
    ask('x', 4, 5, refused(400)),
  ],
  'a lenient service takes the broken body': [ask('b', 0, 1, lead('1'), broken), ask('x', 2, 3, refused(409))],
  'an unanswered create that took effect': [
    ask('x', 0, 5, silent),
    ask('x', 6, 7, lead('1', 'x')),
    ask('y', 8, 9, refused(409)),
  ],
  'an unanswered create of another body that took effect': [ask('x', 0, 5, silent), ask('y', 6, 7, lead('1', 'x'))],
  'a replay that shows the id alone': [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, lead('1'))],
  'one content under two keys': [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, lead('1', 'x'), { key: 'L' })],
  'one key in two tenants whose ids count alike': [
    ask('x', 0, 1, lead('1', 'x')),
    ask('y', 2, 3, lead('1', 'y'), { tenant: 'B' }),
  ],
})) {
  test(`explained: ${name}`, () => expect(findAnomaly(history, traits)).toBeNull());
}

for (const [name, kind, history] of [
  ['a replay with another lead', 'second-lead', [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, lead('2', 'x'))]],
  [
    'a replay refused, and the next one answered with another lead',
    'second-lead',
    [ask('x', 0, 1, lead('1', 'x')), ask('x', 2, 3, refused(409)), ask('x', 4, 5, lead('2', 'x'))],
  ],
  ['two leads in a race', 'second-lead', [ask('x', 0, 9, lead('1', 'x')), ask('x', 1, 8, lead('2', 'x'))]],
  ['a second lead for another body', 'second-lead', [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, lead('2', 'y'))]],
  ['the new body under the first lead', 'other-data', [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, lead('1', 'y'))]],
  ['a fresh key refused', 'fresh-refused', [ask('x', 0, 1, refused(409))]],
  [
    'a lead after a refusal that is not the one sent',
    'never-made',
    [ask('b', 0, 1, refused(400), broken), ask('x', 2, 3, lead('1'))],
  ],
  [
    'a refused body whose replay succeeds',
    'never-made',
    [ask('b', 0, 1, refused(400), broken), ask('b', 2, 3, lead('1', 'b'), broken)],
  ],
  [
    "another tenant's data",
    'other-data',
    [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, lead('1', 'x'), { tenant: 'B' })],
  ],
  [
    'one lead under two keys with different bodies',
    'shared-lead',
    [ask('x', 0, 1, lead('1', 'x')), ask('y', 2, 3, lead('1', 'y'), { key: 'L' })],
  ],
] as const) {
  test(`not explained: ${name}`, () => expect(findAnomaly(history, traits)?.kind).toBe(kind));
}

test('a long race of unanswered creates is judged to its end', () => {
  const history = Array.from({ length: 12 }, (_, at) => ask(at % 2 === 0 ? 'x' : 'y', 0, 5 + at, silent));
  expect(
    findAnomaly([...history, ask('x', 30, 31, lead('1', 'x')), ask('x', 32, 33, lead('2', 'x'))], traits)?.kind,
  ).toBe('second-lead');
});
