import { dials } from './dials.js';
import type { DialName, DialValue } from './dials.js';
import { faults } from './faults/faults.js';
import type { FaultId } from './faults/faults.js';

/** What kind of service this instance is: its faults and the position of every dial. */
export interface Behaviour {
  has(id: FaultId): boolean;
  dial<Name extends DialName>(name: Name): DialValue<Name>;
  readonly seed: number;
}

function positions(variant: Readonly<Record<string, string>>): Map<string, string> {
  const known = new Map<string, string>(dials.map((dial) => [dial.name, dial.default]));
  for (const [name, value] of Object.entries(variant)) {
    const dial = dials.find((one) => one.name === name);
    if (dial === undefined) throw new Error(`There is no dial "${name}": see serve --list for the dials there are.`);
    if (!dial.values.includes(value))
      throw new Error(`The dial "${name}" has no value "${value}": it takes ${dial.values.join(', ')}.`);
    known.set(name, value);
  }
  return known;
}

/** Reads faults and dials; throws an Error of one sentence for what it does not know or what excludes each other. */
export function readBehaviour(
  ids: readonly string[],
  variant: Readonly<Record<string, string>>,
  seed: number,
): Behaviour {
  const known = positions(variant);
  const chosen = new Set<string>();
  for (const id of ids) {
    const fault = faults.find((one) => one.id === id);
    if (fault === undefined) throw new Error(`There is no fault "${id}": see serve --list for the faults there are.`);
    for (const [name, value] of Object.entries(fault.needs ?? {})) {
      const given = variant[name];
      if (given !== undefined && given !== value)
        throw new Error(`The fault "${id}" needs the dial "${name}" at "${value}", not at "${given}".`);
      known.set(name, value);
    }
    chosen.add(id);
  }
  return {
    seed,
    has: (id) => chosen.has(id),
    dial: <Name extends DialName>(name: Name) => known.get(name) as DialValue<Name>,
  };
}
