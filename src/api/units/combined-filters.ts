import { boundedParameters } from '../../openapi/index.js';
import { isOfStatus } from '../../expect/index.js';
import type { Check } from '../../run/index.js';
import { paths, readPage } from '../../service/index.js';
import { statusOf } from './status-filter.js';

/** The filter by status holds beside whatever else the document lets one ask for; only the status of what is listed is judged. */
export async function combineFilters(check: Check, records: readonly unknown[]): Promise<void> {
  const { contract } = await check.contract();
  const operation = contract.operation('GET', paths.units);
  if (operation === null) return;
  const paging = ['limit', 'status', contract.cursorParameter('GET', paths.units)];
  // Values of units that are not available find those where the filter by status is lost.
  const others = records.filter((record) => statusOf(record) !== 'available');
  const parameters = boundedParameters(contract.document, operation, others);
  for (const { name, value } of parameters.filter((one) => !paging.includes(one.name)).slice(0, 3)) {
    const query = [
      ['status', 'available'],
      [name, value],
    ] as const;
    const { exchange, items } = await readPage(check, { query, limit: 50 });
    const wrong = items?.find((item) => ![null, 'available'].includes(statusOf(item)));
    if (wrong !== undefined) check.expect(exchange, isOfStatus('available'), wrong);
  }
}
