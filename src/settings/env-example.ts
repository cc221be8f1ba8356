import { settingTable, type SettingEntry } from './setting-table.js';

/** OpenTelemetry's own packages read it, so it has no flag. */
const collector =
  "# Collector (OTLP over HTTP) that load pushes metrics to, such as http://127.0.0.1:4318; the other variables of OpenTelemetry's exporters count too.\nOTEL_EXPORTER_OTLP_ENDPOINT=\n";

/** The text of `.env.example`, and of the `.env` that `init` writes: every setting with what it means, none set. */
export function envExample(): string {
  const entries: readonly SettingEntry[] = settingTable;
  const blocks = entries.map(
    ({ name, about, fallback, secret }) =>
      `# ${about}${fallback === undefined ? '' : ` Default: ${fallback}`}${secret ? ' Secret.' : ''}\n${name}=\n`,
  );
  return `# Settings of dealership-conformance, read from .env: fill in what applies. Environment variables win over .env, flags over both.\n\n${[...blocks, collector].join('\n')}`;
}
