import { expect, test } from '@playwright/test';
import { startRecords, type Records, type RecordsOptions } from '../end-to-end/records.test-kit.js';
import { runInProcess, startProcess, type Ended, type EndedProcess } from '../run.test-kit.js';
import { folderForEach } from '../../folder.test-kit.js';

const leftLead = (word: string, tenant = 'full'): Record<string, string> => ({
  name: `Conformance Test ${word}`,
  phone: '+12015550142',
  vehicleId: 'any',
  tenant,
});
const left = {
  leads: [leftLead('Abdeghiklmnop'), leftLead('Rstabdeghikln'), leftLead('Onmlkihgedbat', 'other')],
  units: [{ vin: '1HGHAPXTB6719K91B', make: 'Conformance 12AB34CD', tenant: 'full' }],
};

let folder: string;
folderForEach((given) => (folder = given));

function sweep(service: Records, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runInProcess(['sweep', ...args], { BASE_URL: service.url, API_KEY: 'full', ...env });
}

/** Runs the compiled command line, and interrupts it once it has sent a DELETE. */
async function interruptedSweep(service: Records): Promise<EndedProcess> {
  const { child, ended } = startProcess(['sweep', 'delete'], folder, { BASE_URL: service.url, API_KEY: 'full' });
  await expect.poll(() => service.deletes(), { timeout: 60_000 }).toBeGreaterThan(0);
  child.kill('SIGINT');
  return ended;
}

const start = (more: Partial<RecordsOptions> = {}): Promise<Records> =>
  startRecords({ ids: 'uuids', deletes: ['leads', 'units'], left, ...more });

test('sweep lists what runs left and deletes it by "delete"; records that look alike survive', async () => {
  const [service, clean] = await Promise.all([start(), startRecords({ ids: 'uuids', deletes: ['leads', 'units'] })]);
  const names = (of: Records): unknown[] => of.records().map((one) => one['name'] ?? one['vin']);
  const other = { OTHER_API_KEY: 'other' };
  const listed = await sweep(service, [], other);
  expect(listed).toMatchObject({ status: 0, err: '' });
  expect(listed.out).toMatch(
    /^Earlier runs left 1 unit and 3 leads:\n(?: {2}(?:lead|unit) \S+ {2}Conformance .*\n){4}Leads of .*\nNothing is deleted yet/,
  );
  expect(service.deletes()).toBe(0);
  const swept = await sweep(service, ['delete'], other);
  expect(swept).toMatchObject({ status: 0, err: '' });
  expect(swept.out).toMatch(/\nDeleted 1 unit and 3 leads\.\n$/);
  expect(names(service)).toEqual(names(clean));
  expect((await sweep(service, ['delete'], other)).out).toBe('Nothing is left that bears the mark of this suite.\n');
  await Promise.all([service.close(), clean.close()]);
});

test('sweep leaves what the document declares no DELETE for, and says so', async () => {
  await using service = await start({ deletes: ['units'] });
  expect((await sweep(service, [])).out).toContain('\nThe document declares no DELETE for leads.\n');
  const swept = await sweep(service, ['delete']);
  expect(swept).toMatchObject({ status: 3, err: '' });
  expect(swept.out).toMatch(/\nDeleted 1 unit; 2 leads left: the document declares no DELETE for them\.\n$/);
});

test('Ctrl-C ends a sweep, and wrong settings end it with one sentence', async () => {
  await using service = await start({ answersDelete: 'never' });
  const startedMs = performance.now();
  const cut = await interruptedSweep(service);
  expect(cut).toMatchObject({ status: 3, err: '\nStopping. Ctrl-C again stops at once.\n' });
  expect(cut.out).toMatch(/2 leads left: there was no time to delete them/);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  expect(await sweep(service, ['delete'], { READ_ONLY: '1' })).toMatchObject({
    status: 2,
    out: '',
    err: 'READ_ONLY is set: expected it unset for "sweep delete", which deletes records.\n',
  });
  const refused = await sweep(service, [], { API_KEY: 'wrong' });
  expect(refused).toMatchObject({ status: 3, out: '' });
  expect(refused.err).toContain('401');
});
