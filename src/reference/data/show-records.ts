import type { Behaviour, Json } from '../instance.js';
import type { Deal, Lead, Unit } from './records.js';

/** A lead as clients see it: without a source where none was given. */
export function showLead(lead: Lead): Json {
  const { source, ...rest } = lead;
  return source === null ? rest : { ...rest, source };
}

const initial = (text: string): string => Array.from(text)[0] ?? '';
const readNames: Readonly<Record<string, (name: string) => string>> = {
  masked: (name) => `${initial(name)}…`,
  initials: (name) => name.trim().replace(/(\S)\S*\s*/gu, '$1.'),
  capitals: (name) => name.toUpperCase(),
};

/** A lead that is read back, by itself or in a list. */
export function showReadLead(lead: Lead, behaviour: Behaviour): Json {
  return {
    ...showLead(lead),
    name: readNames[behaviour.option('lead-texts')]?.(lead.name) ?? lead.name,
    ...extraFields(behaviour),
  };
}

function extraFields(behaviour: Behaviour, href?: string): Json {
  return behaviour.option('extra-fields') === 'some' ? { schemaVersion: 3, labels: [], href } : {};
}

const statusLabels: Readonly<Record<Unit['status'], string>> = {
  available: 'In stock',
  reserved: 'On hold',
  sold: 'Sold',
  'in-transit': 'On its way',
  'in-service': 'In the workshop',
};

/** A unit by itself. */
export function showUnit(unit: Unit, behaviour: Behaviour): Json {
  const status = behaviour.option('unit-statuses') === 'labels' ? statusLabels[unit.status] : unit.status;
  return { ...unit, ...extraFields(behaviour, `/api/v1/units/${unit.id}`), status };
}

/** Whether reads see the unit already. */
export function isVisible(unit: Unit, behaviour: Behaviour): boolean {
  if (behaviour.option('new-records') !== 'soon') return true;
  const age = Date.now() - Date.parse(unit.createdAt);
  return age < 0 || age > 700;
}

/** Adds whose the unit is, where units have an owner: null for everybody but full access. */
export function withOwner(shown: Json, fullAccess: boolean, behaviour: Behaviour): Json {
  if (behaviour.option('unit-owner') === 'none') return shown;
  return { ...shown, owner: fullAccess ? { name: 'Maria Kowalska', phone: '+48221234567' } : null };
}

/** A unit in a list, of production or of the demo. */
export function showListedUnit(unit: Unit, behaviour: Behaviour): Json {
  const shown = showUnit(unit, behaviour);
  if (behaviour.option('list-fields') === 'fewer') {
    delete shown['features'];
    delete shown['trim'];
    delete shown['createdAt'];
  }
  return shown;
}

export function showDeal(deal: Deal, behaviour: Behaviour): Json {
  return { ...deal, ...extraFields(behaviour) };
}
