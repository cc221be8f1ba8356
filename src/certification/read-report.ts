import { type Report, reportSchema } from '../requirement/index.js';
import type { InputFile } from '../settings/index.js';
import { parseJsonAs } from './schema-file.js';

const schema = {
  ...reportSchema,
  description: 'a conformance.json that certify or gate of this version of dealership-conformance wrote',
};

/** Validates the text of a `conformance.json`; throws SettingsError naming the file. */
export const parseReport = (text: string, named: string | Pick<InputFile, 'file' | 'by'>): Report =>
  parseJsonAs(text, named, schema);
