import type { Check } from '../run/index.js';
import { cursorParameter, declaredMaximum } from './list.js';
import { paths } from './paths.js';

/** How the service is spoken to where the specification leaves it open, as it was found: a text for each list that it has, by path. */
export async function dialect(check: Check): Promise<ReadonlyMap<string, string>> {
  const { contract } = await check.contract();
  const methodsOf = (name: string): string =>
    contract.operations.flatMap(({ role, method }) => (role === name ? [method] : [])).join(' ') || 'none';
  const found = new Map<string, string>();
  for (const kind of ['unit', 'lead', 'deal'] as const) {
    const path = paths[`${kind}s`];
    if (kind !== 'unit' && contract.operation('GET', path) === null) continue;
    const cursor = await cursorParameter(check, path);
    const most = await declaredMaximum(check, path);
    const { query, headers, unmet } = await check.required({ path });
    const parts = [
      `${methodsOf(`${kind}s`)}, by id ${methodsOf(kind)}`,
      cursor === null ? 'no cursor' : `the cursor as ${cursor}`,
      ...(Number.isFinite(most) ? [`limit up to ${most}`] : []),
      ...[...query, ...headers].map(([name, value]) => `${name} is required, such as ${value}`),
      ...(unmet === null ? [] : [unmet]),
    ];
    found.set(path, parts.join('; '));
  }
  return found;
}
