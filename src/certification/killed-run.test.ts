import { expect, test } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEvidence } from '../report/evidence-reader.js';
import type { Exchange } from '../http/exchange.js';
import { parseReport } from './read-report.js';
import { readRunFile } from './read-run-file.js';
import { scratch, startService } from './run.test-kit.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

for (const last of [2, 9, 30, 77]) {
  test(`what a run recorded can be read after kill -9 at request ${last}, and nothing says that it ended`, async () => {
    const place = scratch();
    let heard = 0;
    let kill = (): void => undefined;
    const service = await startService((request, body, reply) => {
      heard += 1;
      if (heard === last) {
        kill();
        return null;
      }
      const path = request.url ?? '';
      if (path.startsWith('/api/v1/units'))
        return reply(200, { ok: true, data: { items: [{ id: 'u-1', status: 'available' }], nextCursor: null } });
      if (path.startsWith('/api/demo/units')) return reply(200, [{ id: 'u-1', status: 'available' }]);
      if (path.startsWith('/api/v1/leads')) return reply(201, { ok: true, data: { id: `l-${heard}`, sent: body } });
      return reply(404, { ok: false, error: {} });
    });
    try {
      const child = spawn(process.execPath, [main, 'gate', '--quiet', '--only', 'DOC,UNIT,DEMO,LEAD,PLAN'], {
        cwd: place.folder,
        env: { PATH: process.env['PATH'], BASE_URL: service.url, API_KEY: 'sk_live_0123456789' },
        stdio: 'ignore',
      });
      const exit = once(child, 'exit');
      kill = () => child.kill('SIGKILL');
      expect((await exit)[1]).toBe('SIGKILL');
      const evidence = join(place.folder, 'reports', 'evidence');
      const found: Exchange[] = [];
      for await (const exchange of readEvidence(evidence)) found.push(exchange);
      // The request that it died of has no answer; some before it may have been under way beside it.
      expect(found.length).toBeGreaterThanOrEqual(last - 12);
      expect(found.length).toBeLessThan(last);
      expect(found.map((exchange) => exchange.seq)).toEqual(found.map((_, at) => at + 1));
      expect(readRunFile(evidence).ended).toBe(false);
      const report = join(place.folder, 'reports', 'conformance.json');
      expect(parseReport(readFileSync(report, 'utf8'), report).outcome).toBe('incomplete');
    } finally {
      await service.close();
      place.remove();
    }
  });
}
