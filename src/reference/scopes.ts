import type { ApiKey } from './api-keys.js';
import type { Behaviour } from './instance.js';

/** Whether a key's scopes grant an operation that needs this one. */
export function grants(key: ApiKey, scope: string, { option }: Behaviour): boolean {
  if (key.scopes.includes('admin:*') || key.scopes.includes(scope)) return true;
  return option('write-implies-read') === 'yes' && key.scopes.includes(scope.replace(/^read:/, 'write:'));
}
