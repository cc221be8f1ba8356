import { Session, type Profiler } from 'node:inspector';

// A process of its own: V8 counts the blocks of what is compiled after it was asked to, and of nothing that ran before.
const [name = '', work = '', ...sizes] = process.argv.slice(2);
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Blocks run through since this was last asked. */
function taken(): number {
  let scripts: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => void (scripts = result));
  return scripts
    .filter(({ url }) => url.includes('/dist/src/'))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((total, { count }) => total + count, 0);
}

const module = (await import(`./${name}.cost.test-kit.js`)) as Record<string, (size: number) => () => void>;
const steps = sizes.map((size) => {
  const run = module[work]?.(Number(size));
  if (run === undefined) throw new Error(`${name} has no work called ${work}`);
  taken();
  run();
  return taken();
});
process.stdout.write(JSON.stringify(steps));
