import { once } from 'node:events';
import { limitsOf } from '../../embedded/index.js';
import { describeReference, faults, startReference, variantOptions } from '../../reference/index.js';
import { errorCode, SettingsError, settingTable, unknownName } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

function assertFaults(names: readonly string[]): void {
  const stray = names.find((name) => !faults.some(({ id }) => id === name));
  if (stray !== undefined)
    throw unknownName('--fault', stray, 'an id that "npx dealership-conformance serve --list" prints');
}

function readVariant(parts: readonly string[]): Record<string, string> {
  const variant: Record<string, string> = {};
  for (const part of parts) {
    const [name, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const;
    const values = variantOptions.find((one) => one.name === name)?.values;
    if (values?.includes(value) !== true)
      throw unknownName(
        '--variant',
        part,
        values === undefined
          ? 'option=value with an option that "npx dealership-conformance serve --list" prints'
          : `${name} with one of ${values.join(', ')}`,
      );
    variant[name] = value;
  }
  return variant;
}

/** `serve`: runs the reference service until it is interrupted, and prints the settings that reach it. */
export async function serve(parsed: Arguments): Promise<number> {
  if (parsed.options.list) {
    process.stdout.write(`${describeReference()}\n`);
    return 0;
  }
  const { port = 0, host = '127.0.0.1', webhook = null, fault = [], variant = [] } = parsed.options;
  assertFaults(fault);
  const receiverOf = (tenant: string): string => (webhook ?? '').replaceAll('{tenant}', tenant);
  const webhookUrls = {
    ...(webhook === null ? {} : { main: receiverOf('main') }),
    ...(webhook?.includes('{tenant}') ? { other: receiverOf('other') } : {}),
  };
  const reference = await startReference({
    host,
    port,
    webhookUrls,
    faults: [...new Set(fault)],
    variant: readVariant(variant),
    limits: limitsOf(readSettings(parsed.settings)),
  }).catch((error: unknown) => {
    const code = errorCode(error);
    if (!['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) throw error;
    throw new SettingsError(
      `--host ${host} and --port ${port} cannot be listened on (${code}): expected an address of this machine, such as 127.0.0.1 or 0.0.0.0, and a free port; leave --port out to get one.`,
    );
  });
  const lines = settingTable.flatMap(({ name }) =>
    reference.settings[name] === undefined ? [] : [`${name}=${reference.settings[name]}`],
  );
  const receiver =
    webhook === null
      ? `No events are delivered: start it with --webhook URL, or POST {"url": "http://…"} to ${reference.baseUrl}/__webhook (or /__webhook?tenant=other).`
      : `Events of ${reference.settings['TENANT'] ?? ''} go to ${receiverOf('main')}; a POST to WEBHOOK_TRIGGER makes one.`;
  process.stdout.write(
    `# The reference service listens on ${reference.baseUrl}; these settings reach it. Ctrl-C ends it.\n# ${receiver}\n${lines.join('\n')}\n`,
  );
  const stop = new AbortController();
  await Promise.race([
    once(process, 'SIGINT', { signal: stop.signal }),
    once(process, 'SIGTERM', { signal: stop.signal }),
  ]);
  stop.abort();
  await reference.close();
  return 0;
}
