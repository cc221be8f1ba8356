import type { Requirement } from './requirement/requirement.js';
import { settingTable, type SettingName } from './settings/setting-table.js';
import type { KeyName, Target } from './settings/target.js';
import { limitSubjects } from './traffic/limit-traces.js';
import { allowedToLoad } from './traffic/load-guard.js';

const scopedKeys = settingTable.map(({ name }) => name).filter((name) => /^API_KEY_(READ|WRITE)_/.test(name));

/** Settings that bodies ask for beyond `needs`: pattern of the ids, names of the settings, and whether they are there. */
const others: readonly (readonly [
  RegExp,
  SettingName | `${SettingName}, ${SettingName}`,
  (target: Target) => unknown,
])[] = [
  [/^(DEMO-03|ENV|IDEM|LEAD|PLAN|UNIT-(?!10)|VER)/, 'API_KEY', ({ keys }) => keys.API_KEY],
  [
    /^AUTH-0[23]$/,
    'API_KEY_READ_INVENTORY',
    ({ keys }) => scopedKeys.some((name) => keys[name as KeyName] !== undefined),
  ],
  [/^UNIT-10$/, 'API_KEY_READ_INVENTORY', ({ keys }) => keys.API_KEY_READ_INVENTORY],
  [/^IDEM-06$/, 'OTHER_API_KEY', ({ keys }) => keys.OTHER_API_KEY],
  [/^UNIT-09$/, 'TENANT', ({ tenant }) => tenant],
  [/^DOC-10$/, 'CONTRACT', ({ contractFile }) => contractFile],
  [/^HOOK-08$/, 'WEBHOOK_RECEIVER', ({ webhookReceiver }) => webhookReceiver],
  [
    /^HOOK-0[1-7]$/,
    'SIGNING_SECRET, WEBHOOK_LISTEN',
    ({ signingSecret, webhookListen, embedded }) => signingSecret ?? webhookListen ?? embedded,
  ],
  [/^HOOK/, 'SIGNING_SECRET', ({ signingSecret }) => signingSecret],
  [/^HOOK-0[1-7]$/, 'WEBHOOK_LISTEN', ({ webhookListen, embedded }) => webhookListen ?? embedded],
  [/^HOOK-04$/, 'WEBHOOK_TRIGGER', ({ webhookTrigger }) => webhookTrigger],
  [/^HOOK-05$/, 'OTHER_API_KEY', ({ keys, otherSigningSecret }) => keys.OTHER_API_KEY ?? otherSigningSecret],
  [
    /^LIMIT/,
    'ALLOW_LOAD',
    (target) => limitSubjects(target).subjects.some(({ url }) => allowedToLoad(url, target.allowLoad)),
  ],
];

/** The setting without which a requirement is not judged, or two of them, known before anything is sent; null where none is missing. */
export function missingSetting({ id, needs }: Pick<Requirement, 'id' | 'needs'>, target: Target): string | null {
  const isThere = (value: unknown): boolean => value !== null && value !== undefined && value !== false;
  const key = needs.find((name) => target.keys[name] === undefined);
  return key ?? others.find(([ids, , find]) => ids.test(id) && !isThere(find(target)))?.[1] ?? null;
}
