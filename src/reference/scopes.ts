import { otherTenant } from './api-keys.js';
import type { ApiKey } from './api-keys.js';
import type { World } from './world.js';

type FaultName = Parameters<World['behaviour']['has']>[0];

/** Faults that open an operation to a scope that does not name it. */
const doors: readonly (readonly [FaultName, string, readonly string[]])[] = [
  ['read-inventory-writes', 'read:inventory', ['createUnit']],
  ['read-leads-writes', 'read:leads', ['createLead']],
  ['read-calls-reads-deals', 'read:calls', ['listDeals']],
  ['read-deals-reads-leads', 'read:deals', ['listLeads', 'getLead']],
  ['write-leads-reads-units', 'write:leads', ['listUnits', 'getUnit']],
  ['read-inventory-reads-leads', 'read:inventory', ['listLeads', 'getLead']],
  ['read-inventory-reads-one-lead', 'read:inventory', ['getLead']],
];

/** Faults that shut an operation to a scope that grants it. */
const walls: readonly (readonly [FaultName, string, readonly string[]])[] = [
  ['read-inventory-refused', 'read:inventory', ['listUnits']],
  ['read-inventory-cannot-read-one', 'read:inventory', ['getUnit']],
  ['write-inventory-refused', 'write:inventory', ['createUnit']],
  ['read-leads-refused', 'read:leads', ['listLeads', 'getLead']],
  ['write-leads-refused', 'write:leads', ['createLead']],
  ['read-deals-refused', 'read:deals', ['listDeals']],
  ['admin-cannot-read-deals', 'admin:*', ['listDeals']],
  ['deals-refused', 'admin:*', ['listDeals']],
  ['admin-cannot-create-unit', 'admin:*', ['createUnit']],
  ['admin-cannot-read-leads', 'admin:*', ['listLeads', 'getLead']],
  ['admin-cannot-change-unit', 'admin:*', ['updateUnit']],
];

/** Whether a key may use an operation that needs the scope. */
export function allowed(key: ApiKey, operation: string, scope: string, world: World): boolean {
  const { has, dial } = world.behaviour;
  const meets = (table: typeof doors): boolean =>
    table.some(([id, held, operations]) => has(id) && key.scopes.includes(held) && operations.includes(operation));
  if (meets(walls)) return false;
  if (has('second-admin-cannot-read-deals') && key.tenant === otherTenant && operation === 'listDeals') return false;
  if (meets(doors)) return true;
  if (has('patch-needs-no-scope') && operation === 'updateUnit') return true;
  if (has('delete-needs-no-scope') && operation === 'deleteUnit') return true;
  if (has('lead-change-needs-no-scope') && operation === 'updateLead') return true;
  if (key.scopes.includes('admin:*') || key.scopes.includes(scope)) return true;
  return dial('write-implies-read') === 'yes' && key.scopes.includes(scope.replace(/^read:/, 'write:'));
}
