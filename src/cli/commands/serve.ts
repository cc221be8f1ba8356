import { once } from 'node:events';
import { describeReference, faults, isReceiverUrl, startReference, variantOptions } from '../../reference/index.js';
import { errorCode, SettingsError, settingTable } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';

/** All values of a flag that takes several. */
function partsOf({ options }: Arguments, flag: 'fault' | 'variant'): string[] {
  return (options[flag] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

function readFaults(parsed: Arguments): string[] {
  const names = [...new Set(partsOf(parsed, 'fault'))];
  for (const name of names) {
    if (!faults.some((fault) => fault.id === name))
      throw new SettingsError(
        `--fault names "${name}", which the reference service does not know: expected an id that "npx dealership-conformance serve --list" prints.`,
      );
  }
  return names;
}

function readVariant(parsed: Arguments): Record<string, string> {
  const variant: Record<string, string> = {};
  for (const part of partsOf(parsed, 'variant')) {
    const [name, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const;
    const option = part.includes('=') ? variantOptions.find((one) => one.name === name) : undefined;
    if (option === undefined)
      throw new SettingsError(
        `--variant holds "${part}": expected option=value with an option that "npx dealership-conformance serve --list" prints.`,
      );
    if (!option.values.includes(value))
      throw new SettingsError(`--variant sets ${name} to "${value}": expected one of ${option.values.join(', ')}.`);
    variant[name] = value;
  }
  return variant;
}

const wrongHost = (host: string): SettingsError =>
  new SettingsError(
    `--host is "${host}", which cannot be listened on: expected an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
  );

/** `serve`: runs the reference service until it is interrupted, and prints the settings that reach it. */
export async function serve(parsed: Arguments): Promise<number> {
  if (parsed.options.list) {
    process.stdout.write(`${describeReference()}\n`);
    return 0;
  }
  const { port = 0, host = '127.0.0.1', webhook = null } = parsed.options;
  if (host === '') throw wrongHost(host);
  const settings = {
    faults: readFaults(parsed),
    variant: readVariant(parsed),
  };
  if (webhook !== null && !isReceiverUrl(webhook))
    throw new SettingsError(
      `--webhook is ${JSON.stringify(webhook)}: expected the URL of a receiver, such as http://127.0.0.1:8080/.`,
    );
  const receiverOf = (tenant: string): string => (webhook ?? '').replaceAll('{tenant}', tenant);
  const webhookUrls = {
    ...(webhook === null ? {} : { main: receiverOf('main') }),
    ...(webhook?.includes('{tenant}') ? { other: receiverOf('other') } : {}),
  };
  const reference = await startReference({ host, port, webhookUrls, ...settings }).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new SettingsError(
        `--port ${port} cannot be used (${code}): expected a free port; leave --port out to get one.`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') throw wrongHost(host);
    throw error;
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
