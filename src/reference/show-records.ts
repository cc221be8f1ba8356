import { derived } from './api-keys.js';
import type { Behaviour } from './behaviour.js';
import type { Deal, Lead, Unit } from './data/records.js';

type Json = Record<string, unknown>;

/** A lead as clients see it: without a source where none was given. */
export function showLead(lead: Lead): Json {
  const { source, ...rest } = lead;
  return source === null ? rest : { ...rest, source };
}

function readName(name: string, behaviour: Behaviour): string {
  const first = (text: string): string => Array.from(text)[0] ?? '';
  switch (behaviour.dial('lead-texts')) {
    case 'masked':
      return `${first(name)}…`;
    case 'initials':
      return name
        .trim()
        .split(/\s+/u)
        .map((word) => `${first(word)}.`)
        .join('');
    case 'capitals':
      return name.toUpperCase();
    default:
      return name;
  }
}

/** A lead that is read back, by itself or in a list. */
export function showReadLead(lead: Lead, behaviour: Behaviour): Json {
  const shown = { ...showLead(lead), name: readName(lead.name, behaviour), ...extraFields(behaviour) };
  if (behaviour.has('lead-status-undeclared')) return { ...shown, status: 'lukewarm' };
  return behaviour.has('name-cut-when-read') ? { ...shown, name: Array.from(lead.name).slice(0, 32).join('') } : shown;
}

/** Somebody made up from the seed. */
export function person(behaviour: Behaviour): Json {
  const made = (label: string): string => derived(behaviour.seed, `person/${label}`, 7).replace(/\d/g, 'a');
  return { fullName: `${made('first')} ${made('last')}`, email: `${made('box').toLowerCase()}@example.net` };
}

function extraFields(behaviour: Behaviour): Json {
  return behaviour.dial('extra-fields') === 'some' ? { schemaVersion: 3, labels: [] } : {};
}

/** A unit by itself. */
export function showUnit(unit: Unit, behaviour: Behaviour): Json {
  const { has } = behaviour;
  const shown: Json = { ...unit, ...extraFields(behaviour) };
  if (has('contract-loses-field')) delete shown['stockNumber'];
  return has('unit-id-number') ? { ...shown, id: numberOf(unit.id) } : shown;
}

/** Whether reads see the unit already. */
export function isVisible(unit: Unit, behaviour: Behaviour): boolean {
  const age = Date.now() - Date.parse(unit.createdAt);
  return behaviour.dial('new-records') !== 'soon' || age < 0 || age > 700;
}

/** Adds whose the unit is, where units have an owner: null for everybody but full access. */
export function withOwner(shown: Json, fullAccess: boolean, behaviour: Behaviour): Json {
  if (behaviour.dial('unit-owner') === 'none') return shown;
  return { ...shown, owner: fullAccess ? { name: 'Maria Kowalska', phone: '+48221234567' } : null };
}

/** A unit in a list, of production or of the demo. */
export function showListedUnit(unit: Unit, behaviour: Behaviour): Json {
  const shown = showUnit(unit, behaviour);
  if (behaviour.dial('list-fields') === 'fewer') {
    delete shown['features'];
    delete shown['trim'];
    delete shown['createdAt'];
  }
  return shown;
}

/** A deal in a list; `index` counts from the first deal, `page` from 1. */
export function showDeal(deal: Deal, index: number, page: number, behaviour: Behaviour): Json {
  const { has } = behaviour;
  const shown: Json = { ...deal, ...extraFields(behaviour) };
  if (has('deal-id-number')) shown['id'] = numberOf(deal.id);
  if (has('deal-total-text') || (has('deal-total-text-on-page-two') && page === 2))
    shown['totalGross'] = deal.totalGross.toFixed(2);
  if (has('deal-total-null') && deal.status === 'open') shown['totalGross'] = null;
  if (has('deal-id-missing-on-page-three') && index === 42) delete shown['id'];
  if (has('deal-breaks-schema')) shown['termMonths'] = `${deal.termMonths} months`;
  if (has('deal-field-missing-on-page-two') && page === 2) delete shown['currency'];
  if (has('deals-in-latin-1')) shown['lender'] = 'Crédit Agricole';
  return shown;
}

function numberOf(id: string): number {
  return Array.from(id).reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
}
