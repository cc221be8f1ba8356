import { expect, test } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleReport, sampleResult } from '../reports/test-kit.js';
import { SettingsError } from '../settings/settings-error.js';
import { loadReport } from './load-report.js';
import { scratch } from '../folder.test-kit.js';

const whole = JSON.stringify(sampleReport([sampleResult('UNIT-01', 'pass')]));

const wrong: Readonly<Record<string, readonly [string | null, RegExp]>> = {
  'half a report': [whole.slice(0, whole.length / 2), /is no JSON/],
  'a report of another format': [
    whole.replace('conformance/1"', 'conformance/0"'),
    /is wrong \(\/format must be equal to constant \("dealership-conformance\/1"\)\): expected a conformance\.json/,
  ],
  'another JSON': ['{"a":1}', /is wrong \(the top level must have required property 'format'\): expected/],
  'plain text': ['hello', /no report and no sound bundle/],
  'an empty file': ['', /no report and no sound bundle/],
  'a folder without a report': [null, /is a folder without the expected file/],
};

for (const [what, [text, says]] of Object.entries(wrong)) {
  test(`${what} is refused in one sentence that names it`, async () => {
    using place = scratch();
    const file = join(place.folder, 'given');
    if (text === null) mkdirSync(file);
    else writeFileSync(file, text);
    let error: unknown;
    try {
      loadReport(file);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SettingsError);
    const said = error instanceof Error ? error.message : '';
    expect(said).toMatch(says);
    expect(said).toContain(file);
    expect(said.split('\n')).toHaveLength(1);
  });
}
