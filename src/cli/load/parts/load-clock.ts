import { createServer } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { SettingsError } from '../../../settings/settings-error.js';
import { errorCode } from '../../../settings/file-error.js';
import { localClock } from '../../../traffic/parts/clock-offset.js';
import { textOption, type Arguments } from '../../arguments.js';
import { onInterrupt } from '../../on-interrupt.js';

/** `load clock`: tells generators one time, until it is stopped; the exit status. Throws SettingsError. */
export async function loadClock(parsed: Arguments): Promise<number> {
  const text = textOption(parsed, 'listen') ?? '127.0.0.1:0';
  const [, host = '', port = ''] = /^(?:\[([\da-f:.]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(text)?.filter(Boolean) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new SettingsError(`--listen is "${text}": expected host:port, such as 0.0.0.0:8123.`);
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(`{"unixMs":${localClock()}}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new SettingsError(`--listen is "${text}", where nothing can listen (${errorCode(error)}): expected another.`),
      ),
    );
    server.listen(Number(port), host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  process.stdout.write(`http://${isIPv6(host) ? `[${host}]` : host}:${bound}/\n`);
  await new Promise<void>((resolve) => onInterrupt(() => resolve()));
  server.closeAllConnections();
  server.close();
  return 0;
}
