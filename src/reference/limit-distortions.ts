import type { Behaviour } from './behaviour.js';
import type { LimitedBy, LimitNumber, LimitNumbers } from './limits.js';

type Scale = (count: number) => number;
type FaultName = Parameters<Behaviour['has']>[0];

const scales = (which: 'burst' | 'sustained'): readonly (readonly [FaultName, Scale])[] => [
  [`${which}-minus-one`, (count) => count - 1],
  [`${which}-minus-tenth`, (count) => Math.floor(count * 0.9)],
  [`${which}-minus-fifth`, (count) => Math.floor(count * 0.8)],
  [`${which}-plus-one`, (count) => count + 1],
  [`${which}-plus-tenth`, (count) => Math.ceil(count * 1.1)],
  [`${which}-plus-fifth`, (count) => Math.ceil(count * 1.2)],
];

function planNumbers(numbers: readonly LimitNumber[], behaviour: Behaviour): readonly LimitNumber[] {
  const { has } = behaviour;
  const longest = Math.max(...numbers.map((one) => one.seconds));
  const change = (one: LimitNumber): LimitNumber => {
    const burst = one.seconds === longest;
    const scale = scales(burst ? 'burst' : 'sustained').find(([id]) => has(id))?.[1];
    return {
      count: Math.max(1, scale ? scale(one.count) : one.count),
      seconds: has('window-half-longer') ? one.seconds * 1.5 : one.seconds,
    };
  };
  const kept = numbers.filter(
    (one) =>
      !(has('burst-missing') && one.seconds === longest) &&
      !(has('sustained-missing') && numbers.length > 1 && one.seconds !== longest),
  );
  return kept.map(change);
}

/** The plans' numbers as a fault would have them. */
export function distortNumbers(numbers: LimitNumbers, behaviour: Behaviour): LimitNumbers {
  const { has } = behaviour;
  const source = (by: LimitedBy): LimitedBy =>
    by === 'independent' && has('independent-gets-franchise')
      ? 'franchise'
      : by === 'franchise' && has('franchise-gets-independent')
        ? 'independent'
        : by;
  const scaled = (by: 'demo' | 'sandbox', factor: number): LimitNumber[] =>
    numbers[by].map((one) => ({ ...one, count: Math.max(1, Math.ceil(one.count * factor)) }));
  return {
    functional: numbers.functional,
    independent: planNumbers(numbers[source('independent')], behaviour),
    franchise: planNumbers(numbers[source('franchise')], behaviour),
    enterprise: planNumbers(numbers.enterprise, behaviour),
    demo: scaled('demo', has('demo-plus-tenth') ? 1.1 : 1),
    sandbox: scaled('sandbox', has('sandbox-half') ? 0.5 : 1),
  };
}
