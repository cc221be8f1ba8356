import { expect, test } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleReport, sampleResult } from '../reports/test-kit.js';
import { SettingsError } from '../settings/settings-error.js';
import { loadReport } from './load-report.js';
import { scratch } from '../folder.test-kit.js';

const whole = JSON.stringify(sampleReport([sampleResult('UNIT-01', 'pass')]));

const wrong: Readonly<Record<string, readonly [string | null, string]>> = {
  'half a report': [whole.slice(0, whole.length / 2), String.raw`is no JSON`],
  'a report of another format': [
    whole.replace('conformance/1"', 'conformance/0"'),
    String.raw`is wrong \(\/format must be equal to constant \("dealership-conformance\/1"\)\): expected a conformance\.json`,
  ],
  'another JSON': ['{"a":1}', String.raw`is wrong \(the top level must have required property 'format'\): expected`],
  'plain text': ['hello', String.raw`no report and no sound bundle`],
  'an empty file': ['', String.raw`no report and no sound bundle`],
  'a folder without a report': [null, String.raw`is a folder without the expected file`],
};

for (const [what, [text, says]] of Object.entries(wrong)) {
  test(`${what} is refused in one sentence that names it`, async () => {
    using place = scratch();
    const file = join(place.folder, 'given');
    if (text === null) mkdirSync(file);
    else writeFileSync(file, text);
    expect(() => loadReport(file)).toThrow(SettingsError);
    expect(() => loadReport(file)).toThrow(new RegExp(`^${file} [^\n]*${says}[^\n]*$`));
  });
}
