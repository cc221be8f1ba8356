import type { Behaviour, FaultHooks } from './instance.js';
import { faults } from './faults/faults.js';
import { variantOptions, type VariantOptionName, type VariantOptionValue } from './variant-options.js';

function valuesOf(variant: Readonly<Record<string, string>>): Map<string, string> {
  const known = new Map<string, string>(variantOptions.map((option) => [option.name, option.default]));
  for (const [name, value] of Object.entries(variant)) {
    const option = variantOptions.find((one) => one.name === name);
    if (option === undefined)
      throw new Error(`There is no option "${name}": serve --list shows the options there are.`);
    if (!option.values.includes(value))
      throw new Error(`The option "${name}" has no value "${value}": it takes ${option.values.join(', ')}.`);
    known.set(name, value);
  }
  return known;
}

/** Parses faults and options, puts further hooks first, and the hooks of faults as `watch` wraps them; throws an Error (one sentence) for unknown names and for combinations that exclude each other. */
export function readBehaviour(
  ids: readonly string[],
  variant: Readonly<Record<string, string>>,
  seed: number,
  further: FaultHooks = {},
  watch = (hooks: FaultHooks): FaultHooks => hooks,
): Behaviour {
  const known = valuesOf(variant);
  const hooks = new Map<string, ((...args: unknown[]) => unknown)[]>();
  const add = (some: FaultHooks): void => {
    for (const [name, hook] of Object.entries(some))
      hooks.set(name, [...(hooks.get(name) ?? []), hook as (...args: unknown[]) => unknown]);
  };
  add(further);
  for (const id of new Set(ids)) {
    const fault = faults.find((one) => one.id === id);
    if (fault === undefined) throw new Error(`There is no fault "${id}": see serve --list for the faults there are.`);
    for (const [name, value] of Object.entries(fault.needs ?? {})) {
      const given = variant[name];
      if (given !== undefined && given !== value)
        throw new Error(`The fault "${id}" needs the option "${name}" at "${value}", not at "${given}".`);
      known.set(name, value);
    }
    add(watch(fault.makeHooks()));
  }
  return {
    seed,
    option: <Name extends VariantOptionName>(name: Name) => known.get(name) as VariantOptionValue<Name>,
    apply: (name, ...[first, ...context]) => {
      let value = first;
      for (const hook of hooks.get(name) ?? []) {
        const changed = hook(value, ...context);
        if (changed !== undefined) value = changed as typeof first;
      }
      return value;
    },
  };
}
