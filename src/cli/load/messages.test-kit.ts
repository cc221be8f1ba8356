import { serve } from '../../loopback.test-kit.js';

/** A receiver of notifications that answers with these statuses in turn, then with 200; null leaves a request without an answer. */
export async function messages(...statuses: (number | null)[]) {
  const received: unknown[] = [];
  const server = await serve((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      received.push(JSON.parse(text));
      const status = statuses.length === 0 ? 200 : statuses.shift();
      if (typeof status === 'number') response.writeHead(status).end();
    });
  });
  return { ...server, url: `${server.url}/services/T0/secret-path`, received };
}
