import {
  counted,
  describeRemoval,
  isDeletable,
  isTestName,
  type OwnRecord,
  type RecordKind,
  removeRecords,
} from '../../api/index.js';
import { paths, recordId, walk } from '../../service/index.js';
import { safe } from '../../reports/index.js';
import { assertAddress, lookAs, type Run, withRun } from '../../run/index.js';
import { SettingsError } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import { type Life, withTarget } from '../with-target.js';

/** Most pages of a list that are read, and most records that are shown one by one. */
const mostPages = 1_000;
const mostShown = 20;

interface LeftRecord extends OwnRecord {
  readonly name: string;
}

/** The text that marks a record as made by this suite, or null: its name as a run gives it, of a unit a text that was made up for it. */
function markOf(kind: RecordKind, record: Readonly<Record<string, unknown>>): string | null {
  if (kind === 'lead') return isTestName(record['name']) ? record['name'] : null;
  const made = Object.values(record).find(
    (value) => typeof value === 'string' && /^Conformance [0-9A-F]{8}$/.test(value),
  );
  return typeof made === 'string' ? made : null;
}

/** Records of a tenant that bear the mark, and why its list was not read to the end, or null. */
async function leftRecords(
  run: Run,
  kind: RecordKind,
  owner: Pick<OwnRecord, 'key' | 'tenant'>,
): Promise<{ readonly found: readonly LeftRecord[]; readonly stopped: string | null }> {
  const check = lookAs('sweep', run);
  const path = kind === 'unit' ? paths.units : paths.leads;
  const { items, stopped } = await walk(check, {
    as: owner.key,
    tenant: owner.tenant,
    path,
    limit: 100,
    maxPages: mostPages,
  });
  const found = new Map<string, LeftRecord>();
  for (const item of items) {
    const record = (item ?? {}) as Record<string, unknown>;
    const [id, name] = [recordId(record), markOf(kind, record)];
    if (id !== null && name !== null && !/^\.{0,2}$/.test(id)) found.set(id, { kind, id, name, ...owner });
  }
  return { found: [...found.values()], stopped };
}

/** `sweep [delete]`: lists what earlier runs left, and deletes it if told to, where the document declares a way. The exit status: 3 where some is left. */
export async function sweep(parsed: Arguments): Promise<number> {
  const isMeant = parsed.operands[0] === 'delete';
  const act = async ({ opened: { target }, off }: Life): Promise<number> => {
    if (isMeant && target.readOnly)
      throw new SettingsError('READ_ONLY is set: expected it unset for "sweep delete", which deletes records.');
    return withRun(target, { signal: off }, (run) => sweepRun(run, isMeant));
  };
  return withTarget(parsed, act, 'Stopping. Ctrl-C again stops at once.');
}

async function sweepRun(run: Run, isMeant: boolean): Promise<number> {
  const { target } = run;
  await assertAddress(run);
  const { contract, problem } = await run.contract();
  const owners = [
    { key: 'API_KEY', tenant: target.tenant } as const,
    ...(target.keys.OTHER_API_KEY === undefined ? [] : [{ key: 'OTHER_API_KEY', tenant: target.otherTenant } as const]),
  ];
  const records: LeftRecord[] = [];
  let isWhole = true;
  for (const kind of ['lead', 'unit'] as const) {
    if (kind === 'lead' && contract.operation('GET', paths.leads) === null) {
      process.stderr.write(`Leads are left out: ${problem ?? 'the document declares no list of them'}.\n`);
      continue;
    }
    for (const owner of owners) {
      const { found, stopped } = await leftRecords(run, kind, owner);
      records.push(...found);
      if (stopped === null) continue;
      isWhole = false;
      process.stderr.write(`The list of ${kind}s was not read to its end: ${safe(stopped, 300)}.\n`);
    }
  }
  const say = (line: string): boolean => process.stdout.write(`${line}\n`);
  if (records.length === 0) {
    if (isWhole) say('Nothing is left that bears the mark of this suite.');
    return isWhole ? 0 : 3;
  }
  const count = (kind: RecordKind): number => records.filter((one) => one.kind === kind).length;
  const kinds = (['unit', 'lead'] as const).filter((kind) => count(kind) > 0);
  say(`Earlier runs left ${kinds.map((kind) => counted(count(kind), kind)).join(' and ')}:`);
  for (const { kind, id, name } of records.slice(0, mostShown)) say(`  ${kind} ${safe(id, 60)}  ${safe(name, 60)}`);
  if (records.length > mostShown) say(`  and ${(records.length - mostShown).toLocaleString('en')} more`);
  if (count('lead') > 0) say('Leads of LEAD-03 to LEAD-07 with names of their own bear no mark, and are not listed.');
  if (!isMeant) {
    const stuck = kinds.filter((kind) => !isDeletable(contract, kind));
    for (const kind of stuck) say(`The document declares no DELETE for ${kind}s.`);
    if (stuck.length < kinds.length)
      say('Nothing is deleted yet: "sweep delete" deletes them, while no run is under way.');
    return 0;
  }
  const removal = await removeRecords(target, contract, records, {
    userAgent: run.userAgent,
    trace: run.trace,
    signal: run.calledOff,
  });
  say(describeRemoval(removal) ?? 'They are gone by now.');
  return isWhole && removal.left.length === 0 ? 0 : 3;
}
