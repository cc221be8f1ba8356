import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { decodeJson } from '../http/index.js';
import { asObject } from '../openapi/index.js';
import { reportSchema } from '../reports/index.js';
import type { Report } from '../requirement/index.js';
import { SettingsError } from '../settings/index.js';

/** Compiled when first used, which takes longer than loading all checks. */
let compiled: ValidateFunction<Report> | null = null;

function validator(): ValidateFunction<Report> {
  compiled ??= addFormats.default(new Ajv2020({ strict: false })).compile(reportSchema);
  return compiled;
}

/** Validates the text of a `conformance.json`; throws SettingsError naming `shownName`. */
export function parseReport(text: string, shownName: string): Report {
  const expected = 'expected a conformance.json that certify or gate of dealership-conformance wrote';
  const value = decodeJson(text);
  if (value === undefined) throw new SettingsError(`${shownName} is no JSON: ${expected}.`);
  const format = asObject(value)?.['format'];
  if (typeof format === 'string' && format !== 'dealership-conformance/1')
    throw new SettingsError(
      `${shownName} has the format ${JSON.stringify(format.slice(0, 60))}, which this version does not read: ${expected}.`,
    );
  const valid = validator();
  if (!valid(value)) {
    const first = valid.errors?.[0];
    throw new SettingsError(
      `${shownName} is no report (${first?.instancePath || 'the whole'} ${first?.message ?? 'is not as it should be'}): ${expected}.`,
    );
  }
  return value;
}
