import { BlockedSignal, NotApplicableSignal } from '../http/index.js';
import { generatorRemedy, missingGenerator } from '../openapi/index.js';
import type { Run } from '../run/index.js';
import { type KeyName, keyNames, type Remedy, toSet } from '../settings/index.js';

type Place = Pick<Run, 'target' | 'hooks'>;

/** What a requirement can need beside keys, and what shows that it is there. */
const others = {
  API_BASE_URL: ({ target }: Place) => target.apiBaseUrl,
  CONTRACT: ({ target }: Place) => target.contractFile,
  OTHER_SIGNING_SECRET: ({ target }: Place) => target.otherSigningSecret,
  SIGNING_SECRET: ({ target }: Place) => target.signingSecret,
  TENANT: ({ target }: Place) => target.tenant,
  // The embedded service is told where to deliver.
  WEBHOOK_LISTEN: ({ target, hooks }: Place) => target.webhookListen ?? hooks?.register,
  WEBHOOK_RECEIVER: ({ target }: Place) => target.webhookReceiver,
  WEBHOOK_TRIGGER: ({ target }: Place) => target.webhookTrigger,
  // Only the service tells.
  document: () => true,
  'client generator': () => missingGenerator() === null,
} as const;

type NeedName = KeyName | keyof typeof others;

/** Something that must be there: a setting, the OpenAPI document, the packages that generate a client from it. Of a list, one is enough. */
export type Need = NeedName | readonly NeedName[];

/** Whether a value is a need, or a list of needs. */
export const isNeed = (value: unknown): boolean =>
  [value].flat().every((name) => String(name) in others || keyNames.some((one) => one === name));

/** The first name of a need that is not met; null where it is. */
export function missingOf(need: Need, run: Place): NeedName | null {
  const names = [need].flat();
  const isGiven = (name: NeedName): unknown =>
    name in others ? others[name as keyof typeof others](run) : run.target.keys[name as KeyName];
  return names.some(isGiven) ? null : (names[0] ?? null);
}

/** What would meet needs that are all settings. */
export const remedyFor = (names: readonly NeedName[]): Remedy => ({ act: 'set', names });

/** How a check ends whose needs are not met: blocked without API_KEY, as next to nothing is judged, or not applicable; null where they are met. */
export function unmetNeed(needs: readonly Need[], run: Place): BlockedSignal | NotApplicableSignal | null {
  const missing = needs.flatMap((need) => missingOf(need, run) ?? []);
  if (missing.includes('API_KEY')) return new BlockedSignal('no key is configured', toSet('API_KEY'));
  if (missing.includes('client generator'))
    return new NotApplicableSignal('typed clients need packages that are not installed here', generatorRemedy);
  return missing.length === 0 ? null : new NotApplicableSignal('a setting is missing', remedyFor(missing));
}
