import { quote } from '../api/json.js';
import { objectsIn } from './event-payload.js';

const usualPlaces = [
  'deal',
  'data.deal',
  'data.object',
  'data',
  'payload.deal',
  'payload',
  'object',
  'resource',
  'record',
  '',
];
const pastNames = /(?:^|\.)(?:previous\w*|before|old\w*|changes|diff|prior)(?:\.|$)/i;

/** The deal in a `deal.funded` payload. */
export interface FundedDeal {
  /** The place of the deal, such as `data.deal`; empty for the event itself, null if nothing looks like a deal. */
  readonly place: string | null;
  /** The error in it, or null. */
  readonly problem: string | null;
}

function problemOf(deal: Record<string, unknown>): string | null {
  const wrong: string[] = [];
  if (!Object.hasOwn(deal, 'id')) wrong.push('it has no id');
  else if (typeof deal['id'] !== 'string' || deal['id'] === '') wrong.push(`its id is ${quote(deal['id'])}`);
  if (!Object.hasOwn(deal, 'totalGross')) wrong.push('it has no totalGross');
  else if (typeof deal['totalGross'] !== 'number' || !Number.isFinite(deal['totalGross']))
    wrong.push(`its totalGross is ${quote(deal['totalGross'])}`);
  return wrong.length === 0 ? null : wrong.join(' and ');
}

/** Finds the deal in a `deal.funded` event, wherever it stands, and holds it to the floor: string `id`, number `totalGross` (§2, §6). */
export function findFundedDeal(event: Record<string, unknown>): FundedDeal {
  const order = (place: string): number => {
    const at = usualPlaces.indexOf(place);
    return at < 0 ? usualPlaces.length + place.split('.').length : at;
  };
  const present = objectsIn(event).filter(({ place }) => !pastNames.test(place));
  const carrying = present.filter(({ object }) => Object.hasOwn(object, 'totalGross'));
  const named = present.filter(({ place }) => /(?:^|\.)deal$/.test(place) || place === 'data');
  const candidates = [...(carrying.length > 0 ? carrying : named)].sort((a, b) => order(a.place) - order(b.place));
  const right = candidates.find(({ object }) => problemOf(object) === null);
  if (right) return { place: right.place, problem: null };
  const [nearest] = candidates;
  if (nearest === undefined) return { place: null, problem: 'no deal with totalGross anywhere in the payload' };
  return {
    place: nearest.place,
    problem: `the deal at ${nearest.place === '' ? 'the top of the payload' : nearest.place}: ${problemOf(nearest.object) ?? ''}`,
  };
}
